/**
 * Headers of all answers below `/console`. Only the console's own scripts, styles and images are loaded, and pages only
 * connect to the gateway and to the object storage, whose presigned addresses they upload to and download from.
 *
 * @param objectStorage the origin of the object storage
 */
export const headersOf = (objectStorage: string): Readonly<Record<string, string>> => ({
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ${objectStorage}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; "),
  // No page needs them.
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
})

/** For answers that depend on the caller, or hold a token. */
export const noStore = { "cache-control": "no-store" }
