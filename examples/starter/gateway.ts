import { OnboardingSteps, step } from "@portico/domain/onboarding/Step"
import { project } from "@portico/domain/onboarding/steps"
import { serve } from "@portico/gateway/serve"
import { controlled } from "@portico/upstream/openstack/openstack"
import { Effect } from "effect"
import { HttpClientRequest } from "effect/http"

/** Tags every new project for the company's cost report. The tag goes with the project, so there is nothing to undo. */
const costReport = step({
  name: "cost report tag",
  needs: [project],
  do: Effect.fn(function* (_, made) {
    const keystone = yield* controlled("keystone", "identity")
    yield* keystone.send("tag project", HttpClientRequest.put(`/projects/${made(project).id}/tags/cost-report`))
  }),
  undo: () => Effect.void
})

serve({ onboarding: OnboardingSteps.layer(costReport) })
