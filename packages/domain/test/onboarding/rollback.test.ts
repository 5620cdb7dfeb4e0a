import { Simulated } from "@portico/testing/cloud/Simulated"
import { testRollback } from "@portico/testing/onboarding/testOnboarding"

await testRollback({ simulated: Simulated })
