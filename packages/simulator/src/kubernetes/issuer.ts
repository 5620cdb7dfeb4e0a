import { newPrivateJwk, type PrivateJwk, publishedKeys, type SigningKey, signingKey } from "../rsaKeys.ts"
import type { KubernetesState, TokenIssuer } from "./state.ts"

/** The default issuer. */
const unnamed = "https://kubernetes.default.svc.cluster.local"

/** Constant and throw-away, like every secret of the simulated cloud. */
const firstKey: PrivateJwk = {
  kty: "RSA",
  n:
    "qmB1VzlBe-9PD7ilXDk-9l2ZNRrPGUuzyOxjHiOt87CUzNNdByzmU317ZuyjKyMK68MzJpaTyzcwqrp6VxV6N8U1rptEawOLUBqy" +
    "yihBRBH0vTh1M61UXdmz9FaPY7JxgZeFHg9Pk_rv3fz2If4peO1IPZaYR-b2LIOQ-vWYQqNZOllPrPWMcPP_dQIAklxzQYrSrr6i" +
    "UH69_flyOorp2JK_MK8MbqWj9Y2jEgjL94Bk1-GDwkt10waWm-658T5zvYqjyYh4jZy6oblcX2r7-YvtCYDNcIByopfUPLnhp9pG" +
    "FqNuHbWtsxJc9ozAkBeWDoNaMCw6J4jsfyZ-KBgjQQ",
  e: "AQAB",
  d:
    "AixzE-7n0RNaRHj4xIfU3aC0I-2x4XwOugU_dXmVst8GLBs5yYAvCVtugiP38Rb7HG_4jtbv4Yy5BmdwSKE1H6PPfcR1swg9uMvw" +
    "HaPIDIXOjQ68up7fOzVuWrNqJq_tlLd-QuGYDaIBsDIVqoKR_KqATtUgsgORo1_RU7rjdu-WBjGHlVnYfHMNSBTMh5bT5tyum7qv" +
    "PX-0xFZ96MvYXZmwINdnO5btsyNrj-1pTnJGRLL0EIrzbKA3cc1Nf4eOx_ozwV2I0VKExT8SYNs8IdtIlZkLrryspdFszu5xgr1f" +
    "jXOrHbEM4uDiT0OxxhMTpIDR80sYXrE4kj3zhMKAsQ",
  p:
    "0rBylaNRp4iZyI6FH48lJHOu1p426oaWl3asnmpwi-4G-PDfM1-LT6oAC2R1fAEBq6MM1aoh5-cPH4STD8Q2BDAn-C4r2PxUyGFt" +
    "vHKht7cp37O3kHAkytzRn4Ipf1_NDvOCJwnPYvemtUN_FF46qZqQT0AzYHdrN2xkXc4B5ck",
  q:
    "zwSZA5-MY9auQYg8anIK4a4W2JXvci-Nrh7QLgl_5I3VVHjiE2N-Z9OUufC_GeZftinh7duT145-n1v56X9S5Uo6QoAkrablIXxj" +
    "UMb-LH3JOGaY39Bi15f_8q5vv-fheSagjTQE_tqXEHHCVFvbBSRBX6Yt8dIvA2mIJUYO7bk",
  dp:
    "fl_T-ymhOspW49OIyitEbh7tilIQQpBEF8nZNJRHuccma3-fgeMXXstrh2nUhnLcG6WLd0W7XKxdh9wvkc9xTwXLk7OuHVMNT7wQ" +
    "5G4lzlqRRVs5CewaRYw6OGEMnxhJmWQ6d0wNFyHQ3v0DZqY2rbDGSqMJrh0zNGVRtmpw_PE",
  dq:
    "C30Q1M-k5eGDGCXsXGfpzK5xnCFuAWM8NJ6HJRbn3xIz9ZUjzrmlyTNHvK3snQ5Y324hmKan5L2Gr2dWTiv_uLPO2ePspSpu6tXR" +
    "WSlB78wnP5cKAtm4sog_7wLZNsgyjhujq1JouI_-9C2sACx80iM58YnyYMouS70ujgr-Rxk",
  qi:
    "GvWKmjKx4K-SQ9EG-Ni09vIW-IkTIT-OFoRZ6WtjycBa6Z9u1BCf1UgpWT9paVW1WwuS10PqBsIvYj0y7oPJuCBw-L18IhpC4W8Q" +
    "XMwf5E_spJa1stHUUxfcQ-e_Dbsvmgv-rwj_DBvRHHSA5jmXYG88btBBctHGIUHDAxo5rzg"
}

export const tokenIssuer = (): TokenIssuer => ({
  issuer: unnamed,
  jwksUri: "https://192.0.2.1:6443/openid/v1/jwks",
  keys: [firstKey]
})

/** The first signing key. */
export const signingKeys = ({ tokenIssuer: { keys } }: KubernetesState): ReadonlyArray<SigningKey> =>
  keys.map(signingKey)

/** The JWKS for verifiers of the cluster's tokens. */
export const keySet = (state: KubernetesState) => publishedKeys(signingKeys(state))

/**
 * Adds a new signing key, as an administrator of the API server does: the old keys stay in its key files until
 * they are removed.
 * @param keep the number of old keys that stay
 */
export const rotateSigningKey = ({ tokenIssuer: { keys } }: KubernetesState, keep = keys.length): void => {
  keys.splice(keep)
  keys.unshift(newPrivateJwk())
}
