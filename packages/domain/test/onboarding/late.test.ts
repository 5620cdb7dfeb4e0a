import { Simulated } from "@portico/testing/cloud/Simulated"
import { testLateEffects } from "@portico/testing/onboarding/testOnboarding"

await testLateEffects({ simulated: Simulated })
