# The service, built from the tree:
#
#   docker build -t seqlab .
#   docker run --rm -p 8000:8000 -v "$PWD/models:/models:ro" -v "$PWD/token.txt:/run/secrets/token:ro" seqlab /models/ner.model
#
# The token is read by the user seqlab (10001), so its file is to be readable by others, or to belong to that number.
# It listens on all addresses of its container, so it demands a token; clients name localhost:8000, or what --allow-host adds.

FROM python:3.12-slim-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ cmake ninja-build && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN python -m venv /opt/seqlab && /opt/seqlab/bin/pip install --no-cache-dir "/source[serve]"

FROM python:3.12-slim-bookworm
COPY --from=build /opt/seqlab /opt/seqlab
RUN useradd --system --uid 10001 --create-home seqlab
USER seqlab
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --start-period=60s --timeout=5s CMD ["/opt/seqlab/bin/python", "-c", "from urllib.request import Request, urlopen; urlopen(Request('http://127.0.0.1:8000/healthz', headers={'host': 'localhost:8000'}), timeout=3)"]
ENTRYPOINT ["/opt/seqlab/bin/seqlab", "serve", "--host", "0.0.0.0", "--port", "8000", "--token-file", "/run/secrets/token", "--allow-host", "localhost:8000"]
CMD ["en-demo"]
