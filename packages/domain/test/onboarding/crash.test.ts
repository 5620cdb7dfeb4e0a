import { Simulated } from "@portico/testing/cloud/Simulated"
import { testCrash } from "@portico/testing/onboarding/testOnboarding"

await testCrash({ simulated: Simulated })
