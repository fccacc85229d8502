"""The ASGI application: routes, bodies, answers."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import tempfile
import time
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any, cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from seqlab import __version__
from seqlab.serve import adapters, answers, insight, openapi, quick
from seqlab.serve.desk import CLOSE, Desk
from seqlab.serve.guard import BODIES, Guard, released
from seqlab.serve.logs import failure, log
from seqlab.serve.metrics import Steps, route_of
from seqlab.serve.problems import Problem
from seqlab.serve.questions import OPTIONS, POSITION, Question, parsed, question
from seqlab.serve.replies import encoded, reply
from seqlab.serve.settings import MOST_WEIGHTS, Settings

SMALL = 32_768  # bytes of a request that may be answered without a thread
QUICK = 0.001  # seconds that this may take, by the slowest of the last requests; longer ones share the cores
LOOK = 1.0  # seconds between two looks at the model files
NDJSON = BODIES[1]
PAGE = Path(__file__).parent / "page"


def application(settings: Settings, *, folder: str | None = None, link: str | None = None) -> Guard:
    """Make the ASGI application, with its models opened.

    settings   what is served, and how
    folder     private folder of the processes of one service; a temporary one when not given
    link       key of the one-time link that gives the page its cookie
    """
    return Service(settings, folder or tempfile.mkdtemp(prefix="seqlab-serve-"), link).guard


class Service(Desk):
    """The routes of one process, and its life.

    settings   of the service
    folder     private to the processes of this service
    link       key of the one-time link that gives the page its cookie
    """

    def __init__(self, settings: Settings, folder: str, link: str | None) -> None:
        super().__init__(settings, folder)
        self._learning = asyncio.Lock()
        self._cost = 1.0  # seconds for a byte of a request for labels, as measured
        self.app = Starlette(
            routes=self._routes(),
            lifespan=self._lifespan,
            exception_handlers={
                Problem: _problem,
                HTTPException: _http_problem,
                ClientDisconnect: _gone,
                Exception: _failed,
            },
        )
        self.guard = Guard(self.app, self, folder=folder, link=link)

    def _routes(self) -> list[BaseRoute]:
        asked = [
            Route(f"/v1/{name}", partial(self.ask, asked=name), methods=["POST"]) for name in answers.ASKED
        ]
        return [
            *asked,
            Route("/v1/tables", self.tables, methods=["POST"]),
            Route("/v1/evaluate", self.evaluate, methods=["POST"]),
            Route("/v1/correct", self.correct, methods=["POST"]),
            Route("/v1/learn", self.learn, methods=["POST"]),
            Route("/v1/models", self.list_models),
            Route("/v1/models/{name}", self.one_model),
            Route("/v1/models/{name}/weights", self.weights),
            Route("/v1/models/{name}/training", self.training),
            Route("/healthz", self.health),
            Route("/readyz", self.readiness),
            Route("/metrics", self.measures),
            *adapters.routes(self),
            Route("/openapi.json", self.openapi),
            Route("/docs", partial(self.page, name="docs.html")),
            Route("/", self.page),
            Mount("/page", StaticFiles(directory=PAGE), name="page"),
        ]

    # ------------------------------------------------------------------------------------------ life

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        changed = asyncio.Event()
        with contextlib.suppress(ValueError, RuntimeError, AttributeError):  # in a thread, or on Windows
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, changed.set)
        watching = asyncio.create_task(self._watch(changed))
        try:
            yield
        finally:
            self.closing = True
            watching.cancel()
            self.close()

    async def _watch(self, asked: asyncio.Event) -> None:
        """Open models anew when their files change, or on SIGHUP."""
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asked.wait(), LOOK)
            force = asked.is_set()
            asked.clear()
            self.metrics.store()
            await asyncio.to_thread(self.models.refresh, self._reloaded, force=force)

    def _reloaded(self, name: str, error: Exception | None) -> None:
        self.metrics.add("seqlab_reloads_total", model=name, result="failed" if error else "ok")
        if error is None:
            log("reloaded", model=name)
        else:
            log("reload failed; the model before it stays in use", model=name, error=str(error))

    # ------------------------------------------------------------------------------------------ questions

    async def ask(self, request: Request, *, asked: str) -> Response:
        """Answer a question about a sentence, a text or a batch; NDJSON is answered line by line."""
        if _kind(request) == NDJSON:
            return Lines(self._lines(request, asked))
        steps = Steps(self.metrics)
        body = await self.body(request)
        steps.ended("read")
        work = partial(self._answer, body, asked, steps, as_text=_wants_text(request))
        return await (self.computed(work) if self._slow(body, asked) else self.computed_here(work))

    def _answer(self, body: bytes, asked: str, steps: Steps, *, as_text: bool) -> Response:
        """Answer in a thread of its own: parse, compute, write."""
        steps.ended("wait")
        began = time.thread_time()
        found = quick.labelled(body, self.models, self.limits) if asked == "tag" and not as_text else None
        if found is None:
            made = self._made(body, asked, steps, as_text=as_text)
        else:
            self.metrics.add("seqlab_tokens_total", found.tokens, model=found.model)
            steps.ended("answer")
            made = Response(found.content, media_type="application/json")
        steps.ended("write")
        if asked == "tag":
            self._cost = max(0.9 * self._cost, (time.thread_time() - began) / len(body))
        return made

    def _made(self, body: bytes, asked: str, steps: Steps, *, as_text: bool) -> Response:
        asking = question(parsed(body), asked, self.limits)
        found = self._found(asking, asked, steps)
        if as_text and asked == "tag":
            return PlainTextResponse(answers.conll(asking, found).encode("utf-8", "replace"))
        return reply(found)

    def _slow(self, body: bytes, asked: str) -> bool:
        """True unless the labels will be found so soon that waking up a thread would not pay."""
        return asked != "tag" or len(body) > SMALL or len(body) * self._cost > QUICK

    def _found(self, asking: Question, asked: str, steps: Steps) -> dict[str, Any]:
        served = self.models.get(asking.model)
        found = answers.answered(served, asked, asking, self.limits)
        self.metrics.add("seqlab_tokens_total", answers.token_count(asking, found), model=served.name)
        steps.ended("answer")
        return found

    async def _lines(self, request: Request, asked: str) -> AsyncIterator[bytes]:
        """Answer each line of a stream in its turn; a line that is wrong gets its problem, with its number."""
        rest, number = b"", 0
        try:
            async for chunk in self.chunks(request):
                *lines, rest = (rest + chunk).split(b"\n")
                self._check_line(rest)
                for line in lines:
                    if line.strip():
                        yield await self._line(line, asked, number)
                    number += 1
                released(request.scope, self.guard, len(chunk))
        except ClientDisconnect:  # nobody reads the rest
            return
        except Problem as problem:  # of the stream itself, which ends here
            if number == 0:
                raise  # nothing was answered yet: the status can still say it
            yield _line_problem(problem, number)
            return
        if rest.strip():
            yield await self._line(rest, asked, number)

    def _check_line(self, line: bytes) -> None:
        if len(line) > self.limits.body:
            raise Problem(413, f"a line has more than {self.limits.body} bytes", headers=CLOSE)

    async def _line(self, line: bytes, asked: str, number: int) -> bytes:
        steps = Steps(self.metrics)

        def work() -> bytes:
            steps.ended("wait")
            made = encoded(self._found(question(parsed(line), asked, self.limits), asked, steps))
            steps.ended("write")
            return made

        try:
            return await self.computed(work) + b"\n"
        except Problem as problem:
            return _line_problem(problem, number)

    # ------------------------------------------------------------------------------------------ for the page

    async def tables(self, request: Request) -> Response:
        """Compute the tables of the algorithms for a hidden Markov model whose probabilities are given."""
        given = parsed(await self.body(request))

        def work() -> Response:
            trellis, words = insight.table_trellis(given, self.limits)
            return reply({"words": words, **insight.steps(trellis)})

        return await self.computed(work)

    async def evaluate(self, request: Request) -> Response:
        """Evaluate a model on a file whose text is in the request."""
        given = parsed(await self.body(request))
        served = self.models.get(_name(given))
        return await self.computed(lambda: reply(insight.scored(served, given, self.limits)))

    async def correct(self, request: Request) -> Response:
        """Write a file anew with some of its labels corrected."""
        given = parsed(await self.body(request))
        return PlainTextResponse(await self.computed(partial(insight.corrected, given)))

    async def learn(self, request: Request) -> Response:
        """Train a model further on corrected sentences."""
        if not self.settings.learn:
            raise Problem(403, "this service does not learn; start it with --learn")
        given = parsed(await self.body(request))
        served = self.models.get(_name(given))
        async with self._learning:  # one at a time: the second starts from what the first has learned
            return await self.computed(
                lambda: reply(insight.learned(self.models, self.models.get(served.name), given))
            )

    async def weights(self, request: Request) -> Response:
        """List weights of a model."""
        asked = request.query_params
        tagger = self.models.get(request.path_params["name"]).tagger(asked.get("layer"))
        n = asked.get("n", "50")
        if not POSITION.fullmatch(n) or not 1 <= int(n) <= MOST_WEIGHTS:
            raise Problem(
                422, f"n is to be a whole number from 1 to {MOST_WEIGHTS}, got {n!r:.40}", option="n"
            )
        ask = partial(
            insight.weights,
            tagger,
            label=asked.get("label") or None,
            search=asked.get("search", ""),
            n=int(n),
        )
        return await self.computed(lambda: reply(ask()))

    async def training(self, request: Request) -> Response:
        """Return the progress of the training of a model."""
        tagger = self.models.get(request.path_params["name"]).tagger(request.query_params.get("layer"))
        return reply(await self.computed(partial(insight.training, tagger)))

    # ------------------------------------------------------------------------------------------ other routes

    async def list_models(self, _: Request) -> Response:
        """List the models."""
        return reply(
            {"models": [{**insight.summary(one), "learns": self.settings.learn} for one in self.models]}
        )

    async def one_model(self, request: Request) -> Response:
        """Describe a model."""
        served = self.models.get(request.path_params["name"])
        return reply(await self.computed(partial(insight.description, served)))

    async def health(self, _: Request) -> Response:
        """Say that the process lives."""
        return reply({"status": "ok", "version": __version__})

    async def readiness(self, _: Request) -> Response:
        """Say whether requests should be sent here: no longer while the service ends."""
        self.check_ready()
        return reply({"status": "ready", "models": [one.name for one in self.models]})

    async def openapi(self, _: Request) -> Response:
        """Describe the service."""
        return reply(openapi.description(self.settings, OPTIONS, adapters.paths()))

    async def page(self, _: Request, *, name: str = "index.html") -> Response:
        """Send a page."""
        return FileResponse(PAGE / name, media_type="text/html")

    async def measures(self, _: Request) -> Response:
        """Write the metrics."""
        return PlainTextResponse(self.metrics.text(), media_type="text/plain; version=0.0.4")


class Lines(Response):
    """An answer that is sent as it is made, while the request is still being read.

    Starlette's StreamingResponse would itself take messages of the request, to notice a client that has gone.
    """

    media_type = NDJSON

    def __init__(self, lines: AsyncIterator[bytes]) -> None:
        super().__init__()
        self._lines = lines
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the lines, as ASGI has it."""
        del scope, receive
        started = False
        async for line in self._lines:
            if not started:
                await self._start(send)
                started = True
            await send({"type": "http.response.body", "body": line, "more_body": True})
        if not started:
            await self._start(send)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _start(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})


def _name(given: dict[str, Any]) -> str | None:
    name = given.get("model")
    if name is not None and not isinstance(name, str):
        raise Problem(422, "model is to be a string", option="model")
    return name


def _line_problem(problem: Problem, number: int) -> bytes:
    return encoded({**problem.as_dict(), "line": number}) + b"\n"


def _kind(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _wants_text(request: Request) -> bool:
    wanted = [one.partition(";")[0].strip() for one in request.headers.get("accept", "").split(",")]
    return "text/plain" in wanted and "application/json" not in wanted


async def _problem(request: Request, error: Exception) -> Response:
    return cast(Problem, error).response(request.url.path)


async def _http_problem(request: Request, error: Exception) -> Response:
    error = cast(HTTPException, error)
    detail = {
        404: f"there is nothing at {request.url.path}; /docs lists what there is",
        405: f"{request.url.path} does not answer {request.method}",
    }.get(error.status_code, error.detail)
    return Problem(error.status_code, detail, headers=error.headers).response(request.url.path)


async def _gone(_: Request, __: Exception) -> Response:
    return Response(status_code=400)  # nobody reads it


async def _failed(request: Request, error: Exception) -> Response:
    log("failed", route=route_of(request.scope), **failure(error))
    return Problem(500, "the service failed on this request; its log says more").response(request.url.path)
