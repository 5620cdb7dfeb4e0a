/** Those of TLS 1.3, and of TLS 1.2 the ones with forward secrecy and authenticated encryption: Mozilla's intermediate. */
const ciphers = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305"
]

/** How a plane speaks TLS: 1.2 at least (RFC 8996), with a handshake timeout in milliseconds. */
export const tlsOptions = {
  minVersion: "TLSv1.2",
  ciphers: ciphers.join(":"),
  ALPNProtocols: ["http/1.1"],
  handshakeTimeout: 10_000
} as const
