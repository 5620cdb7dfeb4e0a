/** The cluster speaks plain HTTP and has no certificate authority; this is the placeholder. */
export const rootCertificate = "-----BEGIN CERTIFICATE-----\nc2ltdWxhdGVk\n-----END CERTIFICATE-----\n"
