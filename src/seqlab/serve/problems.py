"""Errors as problem details (RFC 9457)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from seqlab.errors import AbsentError, ImpossibleError, LabelError, QuestionError, SeqlabError

MEDIA = "application/problem+json"
RETRY = {"retry-after": "1"}
LARGER = "send less at a time, or start the service with a larger --body"
INFERENCE = "/v2"  # where the Open Inference Protocol is spoken: its clients read the member "error"
STATUS = {  # of errors of the library; 422 for all others
    LabelError: 404,  # a label or a position that there is not, as for a model that there is not
    ImpossibleError: 409,  # what is known of the labels contradicts the model
    QuestionError: 409,  # a question that this model cannot answer
}


class Problem(Exception):  # noqa: N818  its name in RFC 9457
    """A request that is answered by an error.

    status    the HTTP status
    detail    what came, what was wanted, what to do
    headers   of the answer
    more      further members of the problem: place, option
    """

    def __init__(
        self, status: int, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers, self.more = status, detail, dict(headers or {}), more

    def as_dict(self) -> dict[str, Any]:
        """Return the members of the problem."""
        return {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            **{name: value for name, value in self.more.items() if value != {}},
        }

    def response(self, path: str = "") -> Response:
        """Make the answer.

        path   the address that was asked
        """
        members = self.as_dict()
        if path.startswith(INFERENCE):
            members["error"] = self.detail
        content = json.dumps(members, ensure_ascii=False)
        body = content.encode("utf-8", "backslashreplace")  # lone surrogates of the request
        return Response(body, self.status, media_type=MEDIA, headers=self.headers)


def busy(detail: str, status: int = 503) -> Problem:
    """Make the problem of too much work at a time."""
    return Problem(status, detail, headers=RETRY)


def from_error(error: SeqlabError, *, item: int | None = None, asked: bool = True) -> Problem:
    """Make the problem of an error of the library.

    error   of the library
    item    the index of the sentence in the batch of the request
    asked   False if the error is about data that came with the request, rather than about a question: 409 then, since
            no description of the request can rule it out
    """
    place = error.place
    where: dict[str, Any] = {}
    number = place.sentence if item is None else item
    if number is not None:
        where["sentence"] = number
    if place.position is not None:
        where["position"] = place.position
    if place.line is not None:
        where["line"] = place.line
    more: dict[str, Any] = {"place": where} if where else {}
    if error.option:
        more["option"] = error.option
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 422) if asked else 409
    error = error.at(of="")  # requests have no X
    # What a model has not got is told without the words of Python.
    return Problem(status, error.message if isinstance(error, AbsentError) else str(error), **more)
