import { serve } from "@portico/gateway/serve"
import { CompanySteps } from "./steps.ts"

// The company's gateway. Its settings are those of every gateway, and DESK_URL and DESK_TOKEN.
serve({ onboarding: CompanySteps })
