import { tenants } from "./migrations/0001_tenants.ts"
import { credentials } from "./migrations/0002_credentials.ts"
import { onboardings } from "./migrations/0003_onboardings.ts"
import { events } from "./migrations/0004_events.ts"
import { people } from "./migrations/0005_people.ts"
import { usage } from "./migrations/0006_usage.ts"
import { signups } from "./migrations/0007_signups.ts"
import { projects } from "./migrations/0008_projects.ts"
import { accounts } from "./migrations/0009_accounts.ts"
import { members } from "./migrations/0010_members.ts"
import { policy } from "./migrations/0011_policy.ts"
import { tokens } from "./migrations/0012_tokens.ts"
import { billing } from "./migrations/0013_billing.ts"
import { leases } from "./migrations/0014_leases.ts"
import { edge } from "./migrations/0015_edge.ts"
import { autoscaling } from "./migrations/0016_autoscaling.ts"
import { natOff } from "./migrations/0017_nat_off.ts"
import { incidents } from "./migrations/0018_incidents.ts"
import { alarms } from "./migrations/0019_alarms.ts"
import { eventsOfProject } from "./migrations/0020_events_of_project.ts"
import { targets } from "./migrations/0021_targets.ts"
import { idempotency } from "./migrations/0022_idempotency.ts"
import { makers } from "./migrations/0023_makers.ts"
import { onboardingSteps } from "./migrations/0024_onboarding_steps.ts"
import { accountsDue } from "./migrations/0025_accounts_due.ts"
import { onboardingWithdrawn } from "./migrations/0026_onboarding_withdrawn.ts"
import { agentCalls } from "./migrations/0027_agent_calls.ts"
import { agents } from "./migrations/0028_agents.ts"
import { agentPlans } from "./migrations/0029_agent_plans.ts"
import { agentAreas } from "./migrations/0030_agent_areas.ts"
import { unusedCredentials } from "./migrations/0031_unused_credentials.ts"
import { tierChanges } from "./migrations/0032_tier_changes.ts"
import { eventsTopics } from "./migrations/0033_events_topics.ts"
import { consoleSessions } from "./migrations/0034_console_sessions.ts"
import { targetsOfAgents } from "./migrations/0035_targets_of_agents.ts"
import { invitationMails } from "./migrations/0036_invitation_mails.ts"
import { formerUnits } from "./migrations/0037_former_units.ts"
import { eventMails } from "./migrations/0038_event_mails.ts"

/** Each runs once, in order, at the start of a process. Never change the SQL of a released migration; add another. */
export const migrations = {
  "0001_tenants": tenants,
  "0002_credentials": credentials,
  "0003_onboardings": onboardings,
  "0004_events": events,
  "0005_people": people,
  "0006_usage": usage,
  "0007_signups": signups,
  "0008_projects": projects,
  "0009_accounts": accounts,
  "0010_members": members,
  "0011_policy": policy,
  "0012_tokens": tokens,
  "0013_billing": billing,
  "0014_leases": leases,
  "0015_edge": edge,
  "0016_autoscaling": autoscaling,
  "0017_nat_off": natOff,
  "0018_incidents": incidents,
  "0019_alarms": alarms,
  "0020_events_of_project": eventsOfProject,
  "0021_targets": targets,
  "0022_idempotency": idempotency,
  "0023_makers": makers,
  "0024_onboarding_steps": onboardingSteps,
  "0025_accounts_due": accountsDue,
  "0026_onboarding_withdrawn": onboardingWithdrawn,
  "0027_agent_calls": agentCalls,
  "0028_agents": agents,
  "0029_agent_plans": agentPlans,
  "0030_agent_areas": agentAreas,
  "0031_unused_credentials": unusedCredentials,
  "0032_tier_changes": tierChanges,
  "0033_events_topics": eventsTopics,
  "0034_console_sessions": consoleSessions,
  "0035_targets_of_agents": targetsOfAgents,
  "0036_invitation_mails": invitationMails,
  "0037_former_units": formerUnits,
  "0038_event_mails": eventMails
} as const
