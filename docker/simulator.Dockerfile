# syntax=docker/dockerfile:1
# The simulated cloud: OpenStack, Ceph RGW, Zitadel, Kubernetes, billing, Prometheus and a DNS in one process, as it is,
# on Node 24. At the top of the repository:
#
#   docker build -f docker/simulator.Dockerfile -t portico-simulator .
#   docker run --rm -p 8090:8090 -p 8090:8090/udp portico-simulator
#
# Options follow the name of the image: `--seed /data/seed.json --state /data/cloud.json` with `-v <folder>:/data`.
# docs/developers/simulator.md describes them. Every secret in it is public, so it is for trials and tests alone.

FROM node:24-bookworm-slim AS build
WORKDIR /portico
COPY . .
# Without the development dependencies, and without the optional ones, which are the embedded database and Node itself.
# None of the others has an install script.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24-bookworm-slim
WORKDIR /portico
COPY --from=build /portico .
ENV NODE_ENV=production CLOUD_HOST=0.0.0.0
# The image's own unprivileged user.
USER 1000:1000
EXPOSE 8090/tcp 8090/udp
HEALTHCHECK --interval=5s --timeout=3s --retries=12 CMD ["node", "-e", "fetch('http://127.0.0.1:8090/cloud/calls').then((_) => process.exit(_.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "packages/simulator/src/bin.ts", "--json"]
