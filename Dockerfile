# syntax=docker/dockerfile:1
# Targets: cli, api, mcp, dev. Credentials are mounted read-only at run time and never part of a layer:
#   -v ~/.ssh:/home/node/.ssh:ro -v ~/.gitconfig:/home/node/.gitconfig:ro -v ~/.netrc:/home/node/.netrc:ro
# A network with a certificate authority of its own: --build-arg NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
# and --secret id=ca,src=company.crt

FROM node:20-bookworm-slim AS base
RUN apt-get update \
  && apt-get install --yes --no-install-recommends git openssh-client ca-certificates \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /src

FROM base AS manifest
ARG NODE_EXTRA_CA_CERTS=
ENV NODE_EXTRA_CA_CERTS=$NODE_EXTRA_CA_CERTS
COPY package.json package-lock.json .npmrc ./

FROM manifest AS build
RUN --mount=type=secret,id=ca,target=/usr/local/share/ca-certificates/extra.crt \
  --mount=type=cache,target=/root/.npm \
  update-ca-certificates && npm ci
COPY . .
RUN npm run build

# What runs needs the bundle, and the few packages outside of it.
FROM manifest AS packages
# Optional peers with their versions, for storage.url: --build-arg PEERS=pg@8.23.1
ARG PEERS=
RUN --mount=type=secret,id=ca,target=/usr/local/share/ca-certificates/extra.crt \
  --mount=type=cache,target=/root/.npm \
  update-ca-certificates && npm ci --omit=dev --omit=peer \
  && if [ -n "$PEERS" ]; then npm install --prefix peers --ignore-scripts $PEERS && cp -R peers/node_modules/. node_modules/; fi

FROM base AS runtime
ENV NODE_ENV=production \
  SERVICE_CONFIG=/app/config/config.yaml
WORKDIR /app
# An empty configuration, so that an image answers before one is mounted.
RUN mkdir -p /app/config /app/output /app/repos /app/state /app/.handoffs \
  && echo 'repositories: []' > /app/config/config.yaml \
  && chown -R node:node /app
COPY --from=packages /src/node_modules /opt/satchel/node_modules
COPY --from=build /src/package.json /opt/satchel/package.json
COPY --from=build /src/dist /opt/satchel/dist
COPY --from=build /src/schemas /opt/satchel/schemas
COPY --from=build /src/generated /opt/satchel/generated
COPY LICENSE NOTICE /opt/satchel/
RUN ln -s /opt/satchel/dist/satchel.js /usr/local/bin/satchel \
  && ln -s /opt/satchel/dist/satchel-mcp.js /usr/local/bin/satchel-mcp \
  && chmod 755 /opt/satchel/dist/satchel.js /opt/satchel/dist/satchel-mcp.js
USER node
VOLUME ["/app/config", "/app/output", "/app/repos"]

FROM runtime AS cli
ENTRYPOINT ["satchel"]
CMD ["--help"]

FROM runtime AS api
ENV SERVER_HOST=0.0.0.0 \
  SERVER_PORT=8000
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SERVER_PORT}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["satchel", "serve"]

FROM runtime AS mcp
ENTRYPOINT ["satchel-mcp"]

FROM build AS dev
ENV SERVICE_CONFIG=/app/config/config.yaml
RUN mkdir -p /app/config /app/output /app/repos \
  && echo 'repositories: []' > /app/config/config.yaml \
  && chown -R node:node /app /src
USER node
VOLUME ["/app/config", "/app/output", "/app/repos"]
CMD ["bash"]
