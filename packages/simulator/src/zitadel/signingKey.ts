import type { PrivateJwk } from "../rsaKeys.ts"

/** The key of ID tokens. Constant and throw-away, like every secret of the simulated cloud. */
export const firstKey: PrivateJwk = {
  kty: "RSA",
  n:
    "rSL38ORqrBLyZ341yEMuOZ6ze19s2Cx905Y2ElqT5mF9PERIzF44D9eSOkKM6ITpoASG5WygjNY5MMA0PDfNnfGipQZTRbva3lBp" +
    "o1xsDlUVRrMl1Pitqyuq5YuoNngQRX3LcGpCH6oEeF4IAOSj3oRshnRWD3HmqoOQrQ0pI2jpSUIJvohIyjuoYVgBEQNl_hzEANs1" +
    "qBzakV57FnzCIPgq7VPaOMnPYK-0JFbG4Qih2E8L7WrTGvg19lym1vCF9N7eBNxPEyV_xC0_pR-41cPEK1UQ9mScKV4AVlbdB60L" +
    "zElOVNFAPE6NO3Wx_f_y_omzhlauTPRyzWN472xRyw",
  e: "AQAB",
  d:
    "VKYmJybmaJ8S2TrBvNnrvcwz4Hv1UXPfSRXF9g9HBHphqpeQKCtgqY4yNj3Xes-REeVktsL3dCRA7e7rGw4Ff9VmOdzv1cZU6iDS" +
    "pUZIpnE-58QrGQdEkc3VzkkLwyXMfs1UK_AnyCdt7BO9QgKHhAGmtc4nTYHYz0Fn-NPYazDP9PYkdjmNnBGeXJ4dpQwokgSdw9JJ" +
    "8nknJWBunw8p4hZkDzwSdyHD7BeZAvYXP5vygV0FyGJ8m6zEI_pe0oXe1TJh4t2mft03Si3F56vOYPcFfF61a5PEGNuBtsTD6z2W" +
    "EDPYhpPCafLr3aQbrqBLQrYz8RSs1SJDhMZuPc9IIQ",
  p:
    "2XWv3TG3aFGKke92_In8V6aOPZGZtVsWUtA9DHoKjRnWVw0Y2emZidEi1l5ql-PTASgGqWZg3-f-Fk3nTa5YGFz1vGbEuIz0DrrE" +
    "yocJelk0r7SpMzJLbURJPiGZxPZoYhwFY63e3Feqb-CKc4hkEctm6vG3EUrcPxlMAudefak",
  q:
    "y9JOz6ELlcna-zLersI7Px_kbhxrj1Co8bUFmLxj0YhN7beL_D20pkhucwt0Wur3xZ8kGnNqGpYNUOIrqZ8vrLvm1nE19AeDgjP7" +
    "0L7m8h3bIvIHI-Ez4wFmKs1yRlOiENnPvkZmNtm_qftpmHahupo0c3tjPsgIsnTxZBGxdFM",
  dp:
    "T5hYCqqL608NXWU9NCp9hsecAMUucccpYJ5_-fUhr4vpfGt60ShD3sIB8l0UvwvQy_eOmKq0gsAzrI5PP4u1CxXbjF5BWxucqVeL" +
    "eGX8_h9wvW9vDyI1oYUBGhDKa-GVS3PeNSILFLOx2slhY_BkUG8W-KAI1feErkPgIp_1YiE",
  dq:
    "r3R7I4Ee1_LL7zH7P7U0C0MJAUC11sk4pdmO18xUoSsU6m32s0zrFbmEWsShhSJ_6D72dU6lJ_3DuLz5mSrPf4LBVBhguZE-Q_c7" +
    "7pZneET7PznZq6lRYTjzGiWBGckk2hymGMXBd7Y6p7klTXnR_zB_tmmhJYpM8lJ4-gvBFsE",
  qi:
    "WgRniXSu84669q5zkNjKchydshjpFfW_BLAEzNeu1xdypOMo0PP5Zmw0n4lrH2feX6halw87lmTjl6ebgas5TjFnnz3zRCHtoG9Z" +
    "ICmKsO6BPA-dGtFt0Gwg4SJl9_yM4aRSnlRw2GEnnhY7Ex9hSFPYIHeZFHcPOkwXRLVvL10"
}
