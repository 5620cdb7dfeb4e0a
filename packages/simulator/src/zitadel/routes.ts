import type { Routes } from "../Wire.ts"
import { failedPrecondition } from "./errors.ts"
import {
  createGrant,
  deactivateGrant,
  deleteGrant,
  ofGrant,
  reactivateGrant,
  searchGrants,
  updateGrant
} from "./grants.ts"
import { keys } from "./idTokens.ts"
import { introspect } from "./introspect.ts"
import { token } from "./exchange.ts"
import { authorize, chooseLogin, decideDevice, deviceAuthorization, devicePage, endSession } from "./login.ts"
import { discovery, revoke } from "./oauth.ts"
import { createPat, deletePat, searchPats } from "./pats.ts"
import { ownPermissions, searchRoles } from "./permissions.ts"
import { getByLoginName, isUnique, searchUsers } from "./search.ts"
import { managed } from "./tokens.ts"
import {
  createMachine,
  deleteSecret,
  deleteUser,
  getUser,
  importHuman,
  initialize,
  moveUser,
  ofMachine,
  ofUser,
  putSecret,
  resendInitialization
} from "./users.ts"

const noSuchUser = failedPrecondition("COMMAND-uXHNj", "Errors.User.NotFound")

export const zitadelRoutes: Routes = {
  "GET /.well-known/openid-configuration": discovery,
  "GET /oauth/v2/authorize": authorize,
  "POST /oauth/v2/authorize": chooseLogin,
  "POST /oauth/v2/device_authorization": deviceAuthorization,
  "GET /device": devicePage,
  "POST /device": decideDevice,
  "GET /oidc/v1/end_session": endSession,
  "GET /oauth/v2/keys": keys,
  "POST /oauth/v2/introspect": introspect,
  "POST /oauth/v2/token": token,
  "POST /oauth/v2/revoke": revoke,
  "POST /ui/login/user/init": initialize,
  "POST /auth/v1/permissions/zitadel/me/_search": ownPermissions,
  "POST /management/v1/projects/:id/roles/_search": managed(searchRoles),
  "POST /management/v1/users/machine": managed(createMachine),
  "POST /management/v1/users/human/_import": managed(importHuman),
  "POST /management/v1/users/_search": managed(searchUsers),
  "GET /management/v1/users/_is_unique": managed(isUnique),
  "GET /management/v1/global/users/_by_login_name": managed(getByLoginName),
  "POST /management/v1/users/:id/_resend_initialization": managed(ofUser(resendInitialization)),
  "GET /management/v1/users/:id": managed(ofUser(getUser)),
  "DELETE /management/v1/users/:id": managed(ofUser(deleteUser)),
  "POST /management/v1/users/:id/_deactivate": managed(moveUser("deactivate")),
  "POST /management/v1/users/:id/_reactivate": managed(moveUser("reactivate")),
  "POST /management/v1/users/:id/_lock": managed(moveUser("lock")),
  "POST /management/v1/users/:id/_unlock": managed(moveUser("unlock")),
  "PUT /management/v1/users/:id/secret": managed(ofMachine(putSecret)),
  "DELETE /management/v1/users/:id/secret": managed(ofMachine(deleteSecret)),
  "POST /management/v1/users/:id/pats": managed(ofMachine(createPat)),
  "POST /management/v1/users/:id/pats/_search": managed(ofUser(searchPats)),
  "DELETE /management/v1/users/:id/pats/:tokenId": managed(deletePat),
  "POST /management/v1/users/grants/_search": managed(searchGrants),
  "POST /management/v1/users/:id/grants": managed(ofUser(createGrant, noSuchUser)),
  "PUT /management/v1/users/:id/grants/:grantId": managed(ofGrant(updateGrant)),
  "DELETE /management/v1/users/:id/grants/:grantId": managed(ofGrant(deleteGrant)),
  "POST /management/v1/users/:id/grants/:grantId/_deactivate": managed(deactivateGrant),
  "POST /management/v1/users/:id/grants/:grantId/_reactivate": managed(reactivateGrant)
}
