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

const groups = ["X25519MLKEM768", "X25519", "P-256", "P-384", "P-521"]

/**
 * TLS with a peer that is not trusted: 1.2 at least (RFC 8996), and without groups of finite fields. The peer chooses such
 * a group's size, and one handshake with 10,000 bits blocks the event loop for a second.
 */
export const cheapTls = { minVersion: "TLSv1.2", ciphers: ciphers.join(":"), ecdhCurve: groups.join(":") } as const
