# Headgate as an image: nginx with its modules, Python, and the locked dependencies. `make image` builds it.
#
# BASE may be any Debian 12 or newer. Both stages start from it, so that the virtual environment fits the Python beside it.
ARG BASE=docker.io/library/debian:bookworm-slim

FROM ${BASE} AS build
ARG UV=0.13.7
ENV DEBIAN_FRONTEND=noninteractive UV_PROJECT_ENVIRONMENT=/opt/headgate UV_PYTHON=/usr/bin/python3 \
    UV_LINK_MODE=copy UV_COMPILE_BYTECODE=1
RUN apt-get -qq update \
 && apt-get -qq install --yes --no-install-recommends ca-certificates python3 python3-venv >/dev/null
WORKDIR /build
# A network that signs TLS anew has authorities of its own: `--secret id=authorities,src=FILE` lends them to this
# stage. Nothing of them stays in the image.
RUN --mount=type=secret,id=authorities,target=/run/authorities.pem \
    if [ -s /run/authorities.pem ]; then export PIP_CERT=/run/authorities.pem; fi \
 && python3 -m venv /opt/uv && /opt/uv/bin/pip install --quiet --disable-pip-version-check "uv==$UV"
COPY pyproject.toml uv.lock ./
RUN --mount=type=secret,id=authorities,target=/run/authorities.pem \
    if [ -s /run/authorities.pem ]; then export SSL_CERT_FILE=/run/authorities.pem; fi \
 && /opt/uv/bin/uv sync --quiet --frozen --no-dev --no-cache --no-install-project
# Of all steps only the last ones see the source: a change of it builds in seconds.
COPY README.md LICENSE ./
COPY src src
RUN --mount=type=secret,id=authorities,target=/run/authorities.pem \
    if [ -s /run/authorities.pem ]; then export SSL_CERT_FILE=/run/authorities.pem; fi \
 && /opt/uv/bin/uv sync --quiet --frozen --no-dev --no-cache --no-editable

FROM ${BASE}
LABEL org.opencontainers.image.title="Headgate" \
      org.opencontainers.image.description="Runs nginx as a Kubernetes ingress controller, or from a folder of manifests." \
      org.opencontainers.image.licenses="Apache-2.0"
# Debian's maintainer scripts start nothing here, and leave logs and caches that nobody needs.
# The capability lets nginx have 80 and 443 where a pod may raise privileges, as in F5's manifests; ours do not need it.
RUN export DEBIAN_FRONTEND=noninteractive \
 && apt-get -qq update \
 && apt-get -qq install --yes --no-install-recommends \
      ca-certificates libcap2-bin libnginx-mod-http-js libnginx-mod-stream nginx python3 >/dev/null \
 && setcap cap_net_bind_service=+ep /usr/sbin/nginx \
 && groupadd --system --gid 101 nginx \
 && useradd --system --uid 101 --gid 101 --home-dir /var/lib/nginx --no-create-home --shell /usr/sbin/nologin nginx \
 && rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/* /etc/nginx /var/lib/nginx \
 && install --directory --owner=101 --group=101 /etc/nginx /var/lib/nginx \
 && printf '#!/bin/sh\n# Where F5 has its binary, so that its manifests find Headgate.\nexec /opt/headgate/bin/headgate run "$@"\n' >/nginx-ingress \
 && chmod 0755 /nginx-ingress
COPY --from=build /opt/headgate /opt/headgate
ENV PATH=/opt/headgate/bin:/usr/sbin:/usr/bin:/sbin:/bin PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER 101:101
EXPOSE 80 443 8081 9113
STOPSIGNAL SIGTERM
ENTRYPOINT ["/nginx-ingress"]
