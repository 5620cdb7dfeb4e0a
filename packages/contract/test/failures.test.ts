import { assert, describe, it } from "@effect/vitest"
import type { AdmissionNumbers } from "@portico/contract/Admission"
import { failureCodes } from "@portico/contract/FailureCodes"
import * as Failures from "@portico/contract/Failures"
import { Effect, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

const { BadGateway, BadRequest, Conflict, Forbidden, Internal, Invalid, MethodNotAllowed } = Failures
const { NotFound, TooLarge, Unauthorized, Unavailable, Unprocessable, UnsupportedMediaType } = Failures

const admission: AdmissionNumbers = {
  tier: "standard",
  admitted: false,
  dimensions: [
    { dimension: "cores", requested: 32, used: 90, limit: 100, remaining: 10, remaining_after: -22 },
    { dimension: "ram_gib", requested: 64, used: 0, limit: 100, remaining: 100, remaining_after: 36 },
    { dimension: "floating_ips", requested: 8, used: 9, limit: 10, remaining: 1, remaining_after: -7 }
  ]
}

type Row = readonly [failure: Failures.Failure, status: number, body: object]

const row = (failure: Failures.Failure, status: number, code: string, detail: string, more: object = {}): Row => [
  failure,
  status,
  { detail, code, ...more }
]

/** The strings that the contract's error table quotes, whole. */
const verbatim: ReadonlyArray<Row> = [
  row(Unauthorized.missingBearer(), 401, "missing_authorization", "Missing or invalid Authorization header"),
  row(Unauthorized.tokenNotActive(), 401, "token_inactive", "Token is not active"),
  row(Unauthorized.introspectionFailed(), 401, "introspection_failed", "Token introspection failed"),
  row(Unauthorized.revoked(), 401, "credential_revoked", "Credential has been revoked"),
  row(Unauthorized.expired(), 401, "credential_expired", "Credential has expired"),
  row(Forbidden.noProjectRoles(), 403, "no_project_roles", "Token carries no project roles; tenant access denied"),
  row(
    Forbidden.noTenant("ursula"),
    403,
    "no_tenant",
    "No tenant assigned for user 'ursula': no TENANT_MAP entry and no admin role. Ask an operator to map your user to a project."
  ),
  row(
    Forbidden.methodNeedsTier("POST", 1, 0),
    403,
    "tier_too_low",
    "Insufficient credential tier: POST requires tier 1, the caller's credential is tier 0. Tiers: 0 read-only, 1 operate (writes), 2 destructive (deletes)."
  ),
  row(
    Forbidden.actionNeedsTier(1, 0),
    403,
    "tier_too_low",
    "Insufficient credential tier: this action requires tier 1, the caller's credential is tier 0. Tiers: 0 read-only, 1 operate (writes), 2 destructive (deletes). Create a higher-tier credential under POST /v1/credentials."
  ),
  row(NotFound.credential("cred-1"), 404, "credential_not_found", "Credential 'cred-1' not found")
]

/** Of managed databases; the first two are the contract's. */
const databases: ReadonlyArray<Row> = [
  row(NotFound.databaseCredentials(), 404, "database_credentials_not_ready", "credentials not ready"),
  row(NotFound.databaseRotation(), 404, "no_credential_to_rotate", "no such credential to rotate"),
  row(NotFound.database("log"), 404, "database_not_found", "Database 'log' not found"),
  row(
    Conflict.databaseExists("postgres", "orders"),
    409,
    "database_exists",
    "Database 'postgres/orders' exists already, and nothing was changed; if an earlier create of it was answered with a failure, it did take effect"
  ),
  row(
    Conflict.databaseStorageNotGrown(10, 20),
    409,
    "database_storage_not_grown",
    "size_gb 10 is refused: each instance has 20 GiB, and storage only grows"
  ),
  row(Conflict.databaseReplicasUnchanged(3), 409, "database_replicas_unchanged", "The database has 3 replicas already"),
  row(
    Unprocessable.databaseName("kafka", 40),
    422,
    "database_name_refused",
    "The name of a kafka database is a DNS label of RFC 1035 with at most 40 characters"
  ),
  row(
    Unprocessable.databaseVersion("postgres", ["16", "17"]),
    422,
    "database_version_refused",
    "version of a postgres database must be one of 16, 17"
  ),
  row(
    Unprocessable.databaseInstanceTooLarge(251, 250),
    422,
    "database_instance_too_large",
    "size_gb 251 is refused: one instance has at most 250 GiB"
  ),
  row(
    Unprocessable.databaseTooLarge(101, 3, 300),
    422,
    "database_too_large",
    "size_gb 101 times replicas 3 is 303 GiB; one database has at most 300 GiB"
  ),
  row(
    Unprocessable.kafkaReplicas(),
    422,
    "kafka_replicas_refused",
    "A kafka database has one replica: replicas can be given for postgres alone"
  ),
  row(
    Unprocessable.kafkaBackup(),
    422,
    "kafka_backup_refused",
    "A kafka database has no backups: backup can be enabled for postgres alone"
  )
]

/** The conditions that the contract names without words, in ours. */
const ours: ReadonlyArray<Row> = [
  row(BadRequest.pathNotCanonical("why"), 400, "path_not_canonical", "The path is not canonical: why"),
  row(BadRequest.queryNotCanonical("why"), 400, "query_not_canonical", "The query is not canonical: why"),
  row(
    BadRequest.bodyNotJson(),
    400,
    "body_not_json",
    "The request body must be JSON in UTF-8, without a byte order mark"
  ),
  row(
    BadRequest.headerRepeated("Host"),
    400,
    "header_repeated",
    "The request has more than one Host header: send it once"
  ),
  row(
    BadRequest.hostInvalid(),
    400,
    "host_invalid",
    "The request needs one Host header with a host name or an IP address, and a port if it is not the usual one"
  ),
  row(BadRequest.bodyTooDeep(200), 400, "body_too_deep", "The request body is nested more than 200 levels deep"),
  row(Failures.RequestTimeout.body(30), 408, "body_too_slow", "The request body did not arrive within 30 seconds"),
  row(
    Failures.TooManyRequests.deadTokens(),
    429,
    "rate_limited",
    "Too many requests from this address brought tokens that are not active; try again later"
  ),
  row(
    Unavailable.connections(),
    503,
    "connections_exhausted",
    "The gateway serves as many connections as it may; try again later"
  ),
  row(BadRequest.twoTokens(), 400, "two_tokens", "Authorization and X-Auth-Token do not carry the same token"),
  row(
    BadRequest.tokenRequest(),
    400,
    "token_request_not_understood",
    "The token request is not understood: it must be JSON with auth.identity.methods and one of auth.identity.application_credential {id, secret} and auth.identity.token {id}"
  ),
  row(
    Unauthorized.authMethod(),
    401,
    "auth_method_refused",
    "A token is given for an application credential (a credential's client_id and client_secret) or for a token (a credential's pat), and for nothing else"
  ),
  row(
    Unauthorized.applicationCredential(),
    401,
    "application_credential_refused",
    "The application credential is not accepted: its id must be a credential's client_id and its secret the client_secret, and the credential must not be revoked"
  ),
  row(
    Forbidden.tokenScope(),
    403,
    "token_scope_refused",
    "A token is scoped to the credential's own project: name that project, or leave the scope out"
  ),
  row(NotFound.token(), 404, "token_not_found", "Could not find token"),
  row(Forbidden.otherProject(), 403, "other_project", "The query names another project than the credential's"),
  row(
    Forbidden.clusterNamespace(),
    403,
    "cluster_namespace_refused",
    "The namespace itself is kept by the platform: it can be read, but neither changed nor deleted"
  ),
  row(
    Forbidden.clusterLimits("roles"),
    403,
    "cluster_limits_refused",
    "Writing roles is refused: the limits and the access rules of a tenant's namespace are kept by the platform"
  ),
  row(
    Forbidden.clusterToken(),
    403,
    "cluster_token_refused",
    "Tokens of service accounts are not handed out here: they would outlive the credential that asked for them. Create a credential under POST /v1/credentials"
  ),
  row(
    Forbidden.clusterSubresource("status"),
    403,
    "cluster_subresource_refused",
    "Writing 'status' is refused: only the cluster itself does"
  ),
  row(
    BadRequest.clusterBody("why"),
    400,
    "cluster_body_ambiguous",
    "The request body can be read in more than one way: why"
  ),
  row(
    Forbidden.clusterKind("ingresses.networking.k8s.io", "why"),
    403,
    "cluster_kind_refused",
    "Writing ingresses.networking.k8s.io is refused: why"
  ),
  row(
    Forbidden.clusterService("spec.externalIPs"),
    403,
    "cluster_service_refused",
    "A Service with spec.externalIPs is refused: it would lead traffic that is not the tenant's. Leave it of type ClusterIP, and make it public with POST /v1/edge/exposures"
  ),
  row(
    Forbidden.clusterEgress(),
    403,
    "cluster_egress_refused",
    "A NetworkPolicy with egress rules is refused: policies add up, and the platform's own lets pods out to the tenant's namespace and to public networks already"
  ),
  row(
    Forbidden.clusterSecretOfAgent(),
    403,
    "cluster_secret_refused",
    "A credential of kind mcp reads no Secret: it can create and replace one, with POST and PUT"
  ),
  row(
    UnsupportedMediaType.clusterBody(["application/json", "application/yaml"]),
    415,
    "cluster_media_type",
    "The body of this request must have one of these as its Content-Type: application/json, application/yaml"
  ),
  row(NotFound.exposure("edge-1"), 404, "exposure_not_found", "Exposure 'edge-1' not found"),
  row(Conflict.exposureNameTaken("web"), 409, "exposure_name_taken", "An exposure named 'web' exists already"),
  row(
    Conflict.domainInUse("shop.example"),
    409,
    "domain_in_use",
    "The domain 'shop.example' is another exposure's of the tenant"
  ),
  row(Conflict.domainClaimed(), 409, "domain_claimed", "The domain is claimed already and cannot be claimed now"),
  row(Unprocessable.exposureTarget("rule"), 422, "exposure_target_refused", "The target cannot be exposed: rule"),
  row(Unprocessable.exposureDomain("why"), 422, "exposure_domain_refused", "The domain cannot be exposed: why"),
  row(
    Unprocessable.exposureWithoutDomain("edge-1"),
    422,
    "exposure_without_domain",
    "Exposure 'edge-1' has no domain of its own, so that there is nothing to verify"
  ),
  row(NotFound.bucket("photos"), 404, "bucket_not_found", "Bucket 'photos' not found"),
  row(NotFound.object("a/b c"), 404, "object_not_found", "Object 'a/b c' not found"),
  row(NotFound.s3Key("tenant$p-1"), 404, "access_key_not_found", "S3 key 'tenant$p-1' not found"),
  row(
    Conflict.bucketNameTaken("photos"),
    409,
    "bucket_name_taken",
    "The bucket name 'photos' is not available; bucket names are unique across the platform, choose another one"
  ),
  row(
    Conflict.bucketNotEmpty("photos"),
    409,
    "bucket_not_empty",
    "Bucket 'photos' is not empty: delete its objects first, with all their versions, delete markers and " +
      "unfinished multipart uploads"
  ),
  row(NotFound.dnsZone("z"), 404, "dns_zone_not_found", "Zone 'z' not found"),
  row(NotFound.recordset("r"), 404, "recordset_not_found", "Recordset 'r' not found"),
  row(
    Conflict.recordsetReadOnly("example.org.", "SOA"),
    409,
    "recordset_read_only",
    "The SOA records of 'example.org.' are read-only here: only A, AAAA, CNAME, TXT and MX records are written"
  ),
  row(
    Conflict.aliasBesideOthers("www.example.org."),
    409,
    "alias_beside_others",
    "'www.example.org.' would have a CNAME beside other records; delete one of the two, or import with prune"
  ),
  row(Unprocessable.dnsName("no name"), 422, "dns_name_refused", "no name"),
  row(Unprocessable.dnsRecords("no data"), 422, "dns_records_refused", "no data"),
  row(
    Forbidden.platformNamespace("a.cloud.example."),
    403,
    "platform_namespace",
    "The zone 'a.cloud.example.' is refused: it lies in the platform's own namespace, or contains it"
  ),
  row(
    Forbidden.zoneMasters("10.0.0.1:53"),
    403,
    "zone_masters_refused",
    "The master '10.0.0.1:53' is refused: a zone is transferred from IP addresses of the public internet"
  ),
  row(
    Forbidden.zoneFileProxied(),
    403,
    "zone_file_refused",
    "Making a zone out of a zone file is refused here: make it with POST /v1/dns/zones, and read the file into it " +
      "with POST /v1/dns/zones/{zone_id}/import"
  ),
  row(
    BadGateway.zoneImport({ at: "create www.example.org. A", words: "no", transient: true, applied: ["a"] }),
    502,
    "zone_import_failed",
    "The import stopped at create www.example.org. A: no",
    { transient: true, applied: ["a"] }
  ),
  row(NotFound.autoscalingGroup("asg-1"), 404, "autoscaling_group_not_found", "Autoscaling group 'asg-1' not found"),
  row(NotFound.instance("i-1"), 404, "instance_not_found", "Instance 'i-1' not found"),
  row(NotFound.alarm("alm-1"), 404, "alarm_not_found", "Alarm 'alm-1' not found"),
  row(NotFound.webhook("w-1"), 404, "webhook_not_found", "Webhook 'w-1' not found"),
  row(NotFound.integration("i-1"), 404, "integration_not_found", "Integration 'i-1' not found"),
  row(Conflict.mailNotOffered(), 409, "mail_not_offered", "Notifications by e-mail are not offered on this cloud"),
  row(
    Conflict.confirmationAllowance(20),
    409,
    "confirmation_allowance",
    "At most 20 addresses an hour are asked whether they want notifications; ask again later"
  ),
  row(
    Unprocessable.integrationField("email", "url"),
    422,
    "integration_field_refused",
    "An integration of the kind 'email' has no url"
  ),
  row(Unprocessable.confirmation(), 422, "confirmation_refused", "No address waits for this code"),
  row(
    Unprocessable.recipient("a@b.example", "the mail server refused it (550)"),
    422,
    "recipient_refused",
    "Nothing can be sent to 'a@b.example': the mail server refused it (550)"
  ),
  row(NotFound.event("e-1"), 404, "event_not_found", "Event 'e-1' not found"),
  row(
    Conflict.webhookDisabled("w-1"),
    409,
    "webhook_disabled",
    "Webhook 'w-1' is disabled, so that nothing is sent to it: enable it first"
  ),
  row(
    Unprocessable.targetAddress("it is no address"),
    422,
    "target_address_refused",
    "Nothing can be sent to the address: it is no address"
  ),
  row(NotFound.incident("inc-1"), 404, "incident_not_found", "Incident 'inc-1' not found"),
  row(
    Unprocessable.incidentSpan(),
    422,
    "incident_span_refused",
    "ends_at must be later than starts_at, which is now when it is left out"
  ),
  row(Unprocessable.metricSpan("rule"), 422, "metric_span_refused", "rule"),
  row(NotFound.autoscalingPolicy("up"), 404, "autoscaling_policy_not_found", "Autoscaling policy 'up' not found"),
  row(Conflict.autoscalingName("web"), 409, "autoscaling_name_taken", "There is an autoscaling group 'web' already"),
  row(
    Conflict.autoscalingDeleting("asg-1"),
    409,
    "autoscaling_group_deleting",
    "Autoscaling group 'asg-1' is being deleted, and cannot be changed"
  ),
  row(
    Unprocessable.autoscalingRange(2, 1, 3),
    422,
    "autoscaling_range",
    "A group needs min <= desired <= max, and this would make it 2, 1 and 3"
  ),
  row(
    Unprocessable.autoscalingNetwork(),
    422,
    "autoscaling_network",
    "The tenant has no network of its own; name one as template.network_id"
  ),
  row(
    BadRequest.idempotencyKeyProxied(),
    400,
    "idempotency_key_proxied",
    "Idempotency-Key is not supported for forwarded calls: leave it out, or use a first-class route"
  ),
  row(
    Forbidden.replayBeyondRights(),
    403,
    "replay_refused",
    "The answer to this Idempotency-Key is not repeated: it was given to the caller with a higher tier, or in another role, than it has now"
  ),
  row(
    Conflict.idempotencyInFlight(),
    409,
    "idempotency_in_flight",
    "A request with this Idempotency-Key is being carried out; ask again in a moment for its answer"
  ),
  row(
    Unprocessable.idempotencyKeyReused(),
    422,
    "idempotency_key_reused",
    "This Idempotency-Key stands for a request with another query or body; make a new key for every request"
  ),
  row(NotFound.natGateway("ngw-1"), 404, "nat_gateway_not_found", "NAT gateway 'ngw-1' not found"),
  row(NotFound.router(), 404, "router_not_found", "The tenant has no router that could be a NAT gateway"),
  row(
    NotFound.namespaceUnused("db-1"),
    404,
    "namespace_unused",
    "The namespace 'db-1' holds nothing yet: the first write into it makes it"
  ),
  row(
    UnsupportedMediaType.encodedBody(),
    415,
    "encoded_body",
    "The body of this request must be sent without a Content-Encoding"
  ),
  row(Unauthorized.suspended(), 401, "credential_suspended", "Credential is suspended"),
  row(Forbidden.adminRequired(), 403, "admin_required", "This action requires the platform administrator role"),
  row(
    Forbidden.billingAccess(),
    403,
    "billing_access_required",
    "This action requires billing access, which the account's owner grants under PUT /v1/org/users/{user_id}/billing"
  ),
  row(NotFound.budget("bdg-1"), 404, "budget_not_found", "Budget 'bdg-1' not found"),
  row(Conflict.billing("words"), 409, "billing_conflict", "words"),
  row(Unprocessable.billing("words"), 422, "billing_refused", "words"),
  row(Unprocessable.costPeriod("rule"), 422, "cost_period_refused", "rule"),
  row(
    Forbidden.tenantSuspended(),
    403,
    "tenant_suspended",
    "The tenant is suspended: what runs keeps running, and nothing new can be created"
  ),
  row(
    Forbidden.projectOverride(),
    403,
    "project_override_refused",
    "The project parameter is for platform administrators"
  ),
  row(
    Forbidden.identityRoute(),
    403,
    "identity_route_refused",
    "Of the identity service, tenants can read their own project, its tags, and the regions"
  ),
  row(
    Forbidden.worldOpenSsh(),
    403,
    "world_open_ssh",
    "The rule opens SSH (port 22) to every address: name a narrower source, or send the request with allow_ssh_from_anywhere=true in its query"
  ),
  row(
    Forbidden.worldOpenAddressGroup(),
    403,
    "world_open_ssh",
    "An address group with a prefix of length 0 can open SSH (port 22) to every address: leave the prefix out, or send the request with allow_ssh_from_anywhere=true in its query"
  ),
  row(
    Forbidden.externalGateway(),
    403,
    "external_gateway_refused",
    "Tenant routers cannot hold an external gateway: setting, changing or removing one requires the platform administrator role"
  ),
  row(
    Forbidden.imageImport(),
    403,
    "image_import_refused",
    "An image is imported from its staged data (glance-direct) or copied between stores (copy-image), and from no " +
      "address: send the data to PUT /v1/iaas/image/images/{id}/file"
  ),
  row(
    Forbidden.platformAct("POST of volumes/os-reserve", "compute attaches volumes with it"),
    403,
    "platform_act_refused",
    "POST of volumes/os-reserve is not for tenants: compute attaches volumes with it"
  ),
  row(
    Forbidden.imageLocations(),
    403,
    "image_locations_refused",
    "The locations of an image can be neither read nor written; send its data to PUT /v1/iaas/image/images/{id}/file"
  ),
  row(
    Forbidden.secretPayload(),
    403,
    "secret_payload_refused",
    "The payload of a stored secret can be read by people only; machine credentials read its metadata at /v1/iaas/key-manager/v1/secrets/{id} with Accept: application/json"
  ),
  row(
    BadRequest.registryService(),
    400,
    "registry_service_unknown",
    "The service parameter names another registry than the one that tokens are given for"
  ),
  row(Unauthorized.subjectToken(), 401, "subject_token_refused", "The subject token is not accepted"),
  row(
    Unauthorized.registryLogin(),
    401,
    "registry_login_refused",
    "The login is not accepted: send a credential's client_id and client_secret, or any user name and a personal access token"
  ),
  row(
    Forbidden.issuerUnmapped(),
    403,
    "issuer_unmapped",
    "The issuer of the subject token is mapped to no tenant that the caller acts for"
  ),
  row(NotFound.workloadIssuer("wi-1"), 404, "workload_issuer_not_found", "Issuer 'wi-1' not found"),
  row(Conflict.issuerRegistered(), 409, "issuer_registered", "The issuer is registered already"),
  row(
    UnsupportedMediaType.notForm(),
    415,
    "form_expected",
    "The request body must be a form with Content-Type: application/x-www-form-urlencoded"
  ),
  row(
    Unprocessable.issuerEndpoint("jwks_uri", "must begin with https://"),
    422,
    "issuer_endpoint_refused",
    "Keys are never fetched from that jwks_uri: it must begin with https://"
  ),
  row(Failures.TooManyRequests.logins(), 429, "rate_limited", "Too many failed logins; try again later"),
  row(
    Unavailable.issuerUnreachable(),
    503,
    "issuer_unreachable",
    "The keys of the subject token's issuer cannot be fetched right now"
  ),
  row(NotFound.route(), 404, "not_found", "Not Found"),
  row(NotFound.tenant("p"), 404, "tenant_not_found", "Tenant 'p' not found"),
  row(NotFound.onboarding("a"), 404, "onboarding_not_found", "Onboarding 'a' not found"),
  row(NotFound.service("x"), 404, "service_not_found", "No platform service at 'x'"),
  row(MethodNotAllowed.method(), 405, "method_not_allowed", "Method Not Allowed"),
  row(
    Conflict.tenantRequired(),
    409,
    "tenant_required",
    "A platform credential is scoped to no tenant; this endpoint needs the credential of a tenant"
  ),
  row(
    Conflict.nameTaken("Acme"),
    409,
    "organisation_name_taken",
    "Organisation name 'Acme' is taken; send the request again with tenant_name set to a free name"
  ),
  row(
    Conflict.onboardingInProgress("Acme"),
    409,
    "onboarding_in_progress",
    "An onboarding of 'Acme' is running or being rolled back; wait for it, or set tenant_name to a free name"
  ),
  row(
    Conflict.budgetExceeded(admission),
    409,
    "budget_exceeded",
    "Tier standard does not fit into the sellable budget: cores requested 32, used 90, limit 100, remaining 10; " +
      "floating_ips requested 8, used 9, limit 10, remaining 1",
    { admission }
  ),
  row(
    Conflict.tierMoveInProgress("p"),
    409,
    "tier_move_in_progress",
    "Another change of the quotas of tenant 'p' is under way"
  ),
  row(NotFound.signup("s"), 404, "signup_not_found", "Signup 's' not found"),
  row(
    Conflict.signupBusy("s"),
    409,
    "signup_busy",
    "Signup 's' is being approved, or an approval of it is being rolled back; GET /v1/journal shows it"
  ),
  row(Conflict.signupDecided("s", "rejected"), 409, "signup_decided", "Signup 's' is rejected already"),
  row(
    Conflict.loginTaken("ann@acme.example"),
    409,
    "login_taken",
    "The address 'ann@acme.example' is the login of another account; reject the signup, and have another address sign up"
  ),
  row(Failures.TooManyRequests.signups(), 429, "rate_limited", "Too many signups; try again later"),
  row(
    Failures.TooManyRequests.tenant(300),
    429,
    "rate_limited",
    "The tenant's allowance of 300 requests a minute is used up; try again later"
  ),
  row(
    Failures.TooManyRequests.eventStreams(20),
    429,
    "event_streams_exhausted",
    "The tenant has 20 event streams open with this replica already; end one first"
  ),
  row(
    Failures.TooManyRequests.eventStreamsInAll(1000),
    429,
    "event_streams_full",
    "This replica holds 1000 event streams, as many as it can; try again later"
  ),
  row(
    Failures.TooManyRequests.auditExports(2),
    429,
    "audit_exports_exhausted",
    "The tenant has 2 audit exports under way with this replica already; wait until one has ended"
  ),
  row(
    Failures.TooManyRequests.auditExportsInAll(20),
    429,
    "audit_exports_full",
    "This replica carries out 20 audit exports, as many as it can at once; try again later"
  ),
  row(
    Failures.TooManyRequests.uploads(200),
    429,
    "uploads_exhausted",
    "The tenant has 200 uploads under way with this replica already; wait until one has ended"
  ),
  row(
    Failures.TooManyRequests.uploadsInAll(2000),
    429,
    "uploads_full",
    "This replica takes 2000 uploads, as many as it can at once; try again later"
  ),
  row(
    Failures.TooManyRequests.clusterStreams(100),
    429,
    "cluster_streams_exhausted",
    "The tenant has 100 watches, followed logs and upgraded connections open with this replica already; end one first"
  ),
  row(
    Failures.TooManyRequests.clusterStreamsInAll(2000),
    429,
    "cluster_streams_full",
    "This replica holds 2000 watches, followed logs and upgraded connections, as many as it can; try again later"
  ),
  row(Conflict.onboardingBusy("a"), 409, "onboarding_busy", "Onboarding 'a' is held by a running process"),
  row(
    Conflict.credentialAllowance(20, 20),
    409,
    "credential_allowance_reached",
    "The tenant holds 20 live credentials and its tier allows 20; revoke one first"
  ),
  row(
    Conflict.ceilingReached("storage", " GiB", { requested: 20, used: 90, limit: 100 }),
    409,
    "ceiling_reached",
    "The tenant's ceiling of storage is reached: requested 20 GiB, used 90 GiB, limit 100 GiB, remaining 10 GiB",
    { ceiling: { requested: 20, used: 90, limit: 100, remaining: 10 } }
  ),
  row(
    Conflict.concurrentChange("the buckets"),
    409,
    "concurrent_change",
    "Another change of the buckets is under way; try again in a moment"
  ),
  row(
    Conflict.noBackupYet("orders"),
    409,
    "no_backup_yet",
    "Database 'orders' has no completed backup yet, so there is nothing to restore; its detail shows when there is one"
  ),
  row(
    Conflict.outsideRecoveryWindow("2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z", "2026-01-03T00:00:00.000Z"),
    409,
    "outside_recovery_window",
    "to_point_in_time 2026-01-01T00:00:00.000Z cannot be restored: the recovery window is from 2026-01-02T00:00:00.000Z to 2026-01-03T00:00:00.000Z. Leave to_point_in_time out for the newest state"
  ),
  row(
    Conflict.restoreTooSmall(10, 20),
    409,
    "restore_too_small",
    "size_gb 10 is less than the source's 20 GiB, whose data would not fit"
  ),
  row(
    Unprocessable.backupsNotEnabled("orders"),
    422,
    "backups_not_enabled",
    "Database 'orders' was created without backups, so there is nothing to restore it from"
  ),
  row(
    Unprocessable.kafkaRestore(),
    422,
    "restore_not_supported",
    "A kafka instance has no backups and cannot be restored; only postgres can"
  ),
  row(Conflict.upstream("words"), 409, "upstream_conflict", "words"),
  row(Unprocessable.upstream("words"), 422, "upstream_refused", "words"),
  row(TooLarge.body(65_536), 413, "body_too_large", "The request body is larger than 65536 bytes"),
  row(
    UnsupportedMediaType.formBody(),
    415,
    "form_body",
    "The body of this request must not be a form: say what it is in its Content-Type, mostly application/json"
  ),
  row(
    UnsupportedMediaType.notJson(),
    415,
    "unsupported_media_type",
    "The request body must be JSON with Content-Type: application/json"
  ),
  row(
    UnsupportedMediaType.imagePatch(),
    415,
    "image_patch_media_type",
    "A patch of an image must have Content-Type: application/openstack-images-v2.1-json-patch or application/openstack-images-v2.0-json-patch"
  ),
  [
    Invalid.issues([{ loc: ["body", "tier"], msg: "Field required", type: "missing" }]),
    422,
    { detail: [{ loc: ["body", "tier"], msg: "Field required", type: "missing" }], code: "validation_error" }
  ],
  row(Unprocessable.unusableName("why"), 422, "unusable_name", "why"),
  row(
    Forbidden.peopleRole(),
    403,
    "people_role_required",
    "This action requires the role customer-owner or customer-admin in the account, or the platform administrator role"
  ),
  row(
    Forbidden.roleNotGiven("customer-owner"),
    403,
    "role_not_given",
    "The role 'customer-owner' is not the caller's to give: owners and customer-admins give customer, customer-viewer, customer-engineer and customer-admin; every role requires the platform administrator role"
  ),
  row(NotFound.user("2000"), 404, "user_not_found", "User '2000' not found"),
  row(
    Conflict.loginElsewhere(),
    409,
    "login_elsewhere",
    "The address is a login already, and not one of this account; invite the person with another address"
  ),
  row(
    Conflict.invitationBusy(),
    409,
    "invitation_busy",
    "The person is being invited or removed by another request; try again in a moment"
  ),
  row(
    Conflict.lastOwner(),
    409,
    "last_owner",
    "The account's last owner can be neither removed nor given another role; make somebody else an owner first"
  ),
  row(Conflict.ownerSeesBilling(), 409, "owner_sees_billing", "An owner of the account always sees what it costs"),
  row(
    Conflict.ownTeamLogin(),
    409,
    "own_team_login",
    "Nobody takes themselves out of the platform team; another platform administrator can"
  ),
  row(
    Conflict.loginNotMadeHere(),
    409,
    "login_not_made_here",
    "The login was not made by an invitation; take the role away at the identity provider"
  ),
  row(
    Unprocessable.projectIdRequired(),
    422,
    "project_id_required",
    "A platform administrator has no account: project_id must name the one that the person joins"
  ),
  row(
    Unprocessable.projectIdRefused(),
    422,
    "project_id_refused",
    "project_id cannot be given here: the platform team, and the people of all accounts, belong to no project"
  ),
  row(Internal.error(), 500, "internal_error", "Internal Server Error"),
  row(BadGateway.upstream("nova: no", true), 502, "upstream_failed", "nova: no", { transient: true }),
  row(
    BadGateway.onboarding({ at: "network", words: "no", transient: false, left: [] }),
    502,
    "onboarding_failed",
    "Onboarding stopped at network: no",
    { transient: false }
  ),
  row(
    BadGateway.onboarding({ at: "network", words: "no", transient: true, left: ["project", "user"] }),
    502,
    "onboarding_failed",
    "Onboarding stopped at network: no. Not yet removed: project, user",
    { transient: true, left: ["project", "user"] }
  ),
  row(
    BadGateway.quotaWrite({ at: "object storage", words: "no", transient: false, applied: ["nova"] }),
    502,
    "quota_write_failed",
    "The quota write stopped at object storage: no",
    { transient: false, applied: ["nova"] }
  ),
  row(Conflict.unitTaken("eng"), 409, "unit_taken", "Organisation unit 'eng' exists already"),
  row(
    Conflict.unitOccupied("eng", "2 units"),
    409,
    "unit_occupied",
    "Organisation unit 'eng' cannot be deleted: it has 2 units. Delete or move them first"
  ),
  row(
    Conflict.closing(),
    409,
    "concurrent_deletion_state",
    "Concurrent deletion state: the project is being deleted or its account is being closed, and nothing in it can be changed"
  ),
  row(Conflict.accountNotClosing(7, "open"), 409, "account_not_closing", "Account '7' is not closing: it is open"),
  row(
    Conflict.accountWindowOver(7, "2026-01-31T00:00:00.000Z"),
    409,
    "account_window_over",
    "Account '7' cannot be reopened: its closing window was over at 2026-01-31T00:00:00.000Z"
  ),
  row(
    Conflict.accountDestroying(7),
    409,
    "account_destroying",
    "Account '7' cannot be reopened: its destruction has begun"
  ),
  row(
    Conflict.accountInWindow(7, "2026-01-31T00:00:00.000Z"),
    409,
    "account_in_window",
    "The closing window of account '7' is over at 2026-01-31T00:00:00.000Z: state a reason to destroy it earlier"
  ),
  row(Conflict.notBeingDeleted("p"), 409, "not_being_deleted", "Project 'p' is not being deleted"),
  row(
    Conflict.deletionPastReturn("p"),
    409,
    "deletion_past_return",
    "The deletion of project 'p' has gone too far to be cancelled"
  ),
  row(
    Conflict.deletionStepUnderWay("p", "compute/servers"),
    409,
    "deletion_step_under_way",
    "The deletion of project 'p' is cancelled as soon as its step 'compute/servers' is over; the project is restored then"
  ),
  row(
    Conflict.credentialNotActive("cred-1", "revoked"),
    409,
    "credential_not_active",
    "Credential 'cred-1' is revoked; only an active one can be rotated"
  ),
  row(
    Conflict.credentialRotated("cred-1", "cred-2"),
    409,
    "credential_rotated",
    "Credential 'cred-1' is replaced by 'cred-2' already; rotate that one"
  ),
  row(
    Conflict.rotationInProgress("cred-1"),
    409,
    "rotation_in_progress",
    "Another rotation of credential 'cred-1' is under way"
  ),
  row(
    Conflict.predecessorLives("cred-2", "cred-1"),
    409,
    "predecessor_lives",
    "Credential 'cred-2' replaces 'cred-1', which has not ended yet; wait for that, or revoke it first"
  ),
  row(
    Forbidden.ownerRequired(),
    403,
    "owner_required",
    "This action requires the role customer-owner in the account, or the platform administrator role"
  ),
  row(
    Forbidden.policyRole(),
    403,
    "policy_role_required",
    "This action requires the role customer-owner or customer-admin in the account, or the platform administrator role"
  ),
  row(
    Forbidden.policyDenies("eng", "dns"),
    403,
    "policy_denied",
    "The access policy of the organisation unit 'eng' denies 'dns'. GET /v1/org/effective shows what applies."
  ),
  row(
    Forbidden.policyDenies("", "dns:destroy"),
    403,
    "policy_denied",
    "The access policy of the whole account denies 'dns:destroy'. GET /v1/org/effective shows what applies."
  ),
  row(
    Forbidden.sourceNetwork(),
    403,
    "source_network_refused",
    "The credential is limited to source networks, and this call does not come from one of them"
  ),
  row(
    Forbidden.credentialBeyondOwn(),
    403,
    "credential_beyond_own",
    "The caller is limited to source networks, by its organisation unit or in its sight of costs, and the credential " +
      "would reach further"
  ),
  row(
    Forbidden.credentialOutlives("2026-01-02T00:00:00.000Z"),
    403,
    "credential_outlives_own",
    "The caller's own credential ends at 2026-01-02T00:00:00.000Z, and the credential would live longer"
  ),
  row(
    Forbidden.agentMints(),
    403,
    "agent_mints_agents",
    "A credential of kind mcp mints and rotates only credentials of kind mcp, of tier 0 or 1, for at most 7 days"
  ),
  row(Forbidden.agentReadsNoSecret(), 403, "agent_reads_no_secret", "A credential of kind mcp reads no stored secret"),
  row(
    Conflict.credentialChain(16),
    409,
    "credential_chain_too_long",
    "The credential would stand below more than 16 others that made each other; mint it with one further up"
  ),
  row(NotFound.project("p"), 404, "project_not_found", "Project 'p' not found"),
  row(NotFound.unit("eng"), 404, "unit_not_found", "Organisation unit 'eng' not found"),
  row(NotFound.unitMember("x"), 404, "unit_member_not_found", "Credential or user 'x' not found"),
  row(NotFound.policy("eng"), 404, "policy_not_found", "Access policy of 'eng' not found"),
  row(NotFound.policy(""), 404, "policy_not_found", "The account has no access policy of its own"),
  row(NotFound.account("7"), 404, "account_not_found", "Account '7' not found"),
  row(Unavailable.policyUnreadable(), 503, "policy_unreadable", "The account's access policy cannot be read right now"),
  row(
    Unprocessable.closingNotConfirmed("Acme"),
    422,
    "closing_not_confirmed",
    "Nothing was closed: confirm must be the name of the account, 'Acme'"
  ),
  row(
    Unprocessable.notConfirmed("acme"),
    422,
    "deletion_not_confirmed",
    "Nothing was deleted: confirm must be the name of the project, 'acme'"
  ),
  row(Unavailable.identityProvider(), 503, "identity_provider_unreachable", "The identity provider cannot be reached"),
  row(Unavailable.tierUnreadable(), 503, "tier_unreadable", "The tenant's tier cannot be read right now"),
  row(Unavailable.stopping(), 503, "stopping", "The gateway stopped before the request was done")
]

const rows = [...verbatim, ...ours, ...databases]
const encode = Schema.encodeEffect(Failures.Failure)

describe("failures", () => {
  for (const [failure, status, body] of rows) {
    const { code } = failure
    it.effect(`${status} ${code}: ${typeof failure.detail === "string" ? failure.detail : "a list"}`, () =>
      Effect.gen(function* () {
        // The whole body: no tag, and nothing else besides.
        assert.deepStrictEqual(yield* encode(failure), body)
        assert.strictEqual(failureCodes[code].status, status)
        assert.strictEqual(statusOf(failure), status)
      })
    )
  }

  it("every constructor has a row", () => {
    const constructors = classes.flatMap((_) => Object.keys(_).filter((key) => isConstructor(_, key)))
    assert.strictEqual(new Set(rows.map(([_]) => `${_._tag} ${_.code}`)).size, constructors.length - sharedCodes)
  })

  it("every code is used, by failures of its status alone", () => {
    assert.sameMembers([...new Set(rows.map(([_]) => _.code))], Object.keys(failureCodes))
  })

  it("every code says what causes it and what to do, in sentences", () => {
    for (const [code, { cause, fix }] of Object.entries(failureCodes)) {
      assert.match(code, /^[a-z]+(_[a-z]+)*$/)
      for (const sentence of [cause, fix]) assert.match(sentence, /^[A-Z`].*\.$/, code)
    }
  })
})

const classes = [
  BadGateway,
  BadRequest,
  Conflict,
  Forbidden,
  Internal,
  Invalid,
  MethodNotAllowed,
  NotFound,
  Failures.RequestTimeout,
  TooLarge,
  Failures.TooManyRequests,
  Unauthorized,
  Unavailable,
  Unprocessable,
  UnsupportedMediaType
]

/**
 * Two constructors give `tier_too_low`: proxied calls and first-class routes have words of their own. Two give
 * `world_open_ssh`: a rule, and an address group that rules refer to. Four give `rate_limited`: logins, dead tokens, signups, and the tenant's calls.
 */
const sharedCodes = 5

const isConstructor = (holder: object, key: string): boolean =>
  typeof Object.getOwnPropertyDescriptor(holder, key)?.value === "function"

/** The status that an endpoint which declares the class answers with. */
const statuses = new Map<unknown, number>()
for (const declared of classes) {
  const error: Schema.Top = declared
  const endpoint = HttpApiEndpoint.get("only", "/", { error })
  HttpApi.reflect(HttpApi.make("only").add(HttpApiGroup.make("only").add(endpoint)), {
    onGroup: () => {},
    onEndpoint: ({ errors }) => {
      assert.strictEqual(errors.size, 1)
      for (const status of errors.keys()) statuses.set(declared, status)
    }
  })
}

const statusOf = (failure: Failures.Failure): number | undefined => {
  const found = classes.find((_) => failure instanceof _)
  return found === undefined ? undefined : statuses.get(found)
}
