# docker build -t tebiki . && docker run -i --rm -e OPENAI_API_KEY -v "$PWD/manuals:/workspace/manuals:ro" -v "$PWD/vault:/workspace/vault" tebiki
FROM python:3.13-slim AS build
WORKDIR /build
COPY requirements/runtime.lock requirements/
RUN python -m venv /opt/tebiki && /opt/tebiki/bin/pip install --no-cache-dir --require-hashes -r requirements/runtime.lock
COPY pyproject.toml README.md LICENSE ./
COPY src src
# Compiled here: the container's user may not write there, and every start would compile again.
RUN /opt/tebiki/bin/pip install --no-cache-dir --no-deps --no-build-isolation . \
    && /opt/tebiki/bin/python -m compileall -q /opt/tebiki/lib

FROM python:3.13-slim
RUN useradd --create-home --uid 10001 tebiki && mkdir /workspace && chown tebiki /workspace
COPY --from=build /opt/tebiki /opt/tebiki
ENV PATH=/opt/tebiki/bin:$PATH WORKSPACE_ROOT=/workspace
USER tebiki
WORKDIR /workspace
HEALTHCHECK --interval=5m --timeout=20s CMD ["tebiki", "doctor", "--offline"]
ENTRYPOINT ["tebiki"]
CMD ["--stdio"]
