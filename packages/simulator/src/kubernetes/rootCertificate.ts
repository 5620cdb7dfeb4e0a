/** The cluster has no certificate authority, since it speaks plain HTTP; the place of one is kept. */
export const rootCertificate = "-----BEGIN CERTIFICATE-----\nc2ltdWxhdGVk\n-----END CERTIFICATE-----\n"
