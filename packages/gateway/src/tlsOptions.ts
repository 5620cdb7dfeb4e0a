import { cheapTls } from "@portico/upstream/untrustedPeer"

/** How a plane speaks TLS, with a handshake timeout in milliseconds. */
export const tlsOptions = { ...cheapTls, ALPNProtocols: ["http/1.1"], handshakeTimeout: 10_000 } as const
