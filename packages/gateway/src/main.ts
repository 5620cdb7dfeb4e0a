import { serve } from "./serve.ts"

serve()
