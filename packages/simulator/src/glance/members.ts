import { objectAt, stringAt } from "../Json.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import { toSecondsUtc } from "../times.ts"
import { isTag, tagQuota } from "./properties.ts"
import type { Image, Member } from "./state.ts"
import {
  type Request,
  type RequestHandler,
  done,
  imageRoute,
  memberRoute,
  ofImage,
  ofOwnImage,
  webob
} from "./request.ts"

const show = (image: Image, _: Member) => ({
  member_id: _.member_id,
  image_id: image.id,
  status: _.status,
  created_at: toSecondsUtc(_.created_at),
  updated_at: toSecondsUtc(_.updated_at),
  schema: "/v2/schemas/member"
})

const statuses = ["pending", "accepted", "rejected"] as const

const owns = ({ scope }: Request, image: Image): boolean => scope.admin || image.owner === scope.projectId

/** Only an image of visibility `shared` has members. */
const ofShared = (handler: (request: Request, image: Image) => Answer): RequestHandler =>
  ofImage(
    (request, image) =>
      image.visibility === "shared"
        ? handler(request, image)
        : webob(request, 403, `Error fetching members of image ${image.id}: Only shared images have members.`),
    (id) => `Image ${id} not found.`
  )

/** The owner sees all members, a member only itself. */
const ofMember = (handler: (request: Request, image: Image, member: Member) => Answer): RequestHandler =>
  ofShared((request, image) => {
    const id = request.params["member"] ?? ""
    const member = owns(request, image) || id === request.scope.projectId ? image.members[id] : undefined
    return member === undefined
      ? webob(request, 404, `${id} not found in the member list of the image ${image.id}.`)
      : handler(request, image, member)
  })

const add = ofShared((request, image) => {
  const id = stringAt(objectAt(request.json), "member")
  if (id === undefined) return webob(request, 400, "Member to be added not specified")
  if (id === "") return webob(request, 400, "Member can't be empty")
  if (!owns(request, image)) return webob(request, 403, `Not allowed to create members for image ${image.id}.`)
  if (image.members[id] !== undefined) {
    return webob(request, 409, `Member ${id} is duplicated for image ${image.id}`)
  }
  const member: Member = { member_id: id, status: "pending", created_at: request.now, updated_at: request.now }
  image.members[id] = member
  return json(200, show(image, member))
})

/** Only the member accepts or rejects an image, not the owner. */
const answer = ofMember((request, image, member) => {
  const given = stringAt(objectAt(request.json), "status")
  if (given === undefined) return webob(request, 400, "Status not specified")
  const status = statuses.find((_) => _ === given)
  if (!request.scope.admin && request.scope.projectId !== member.member_id) {
    return webob(request, 403, `Not allowed to update members for image ${image.id}.`)
  }
  if (status === undefined) {
    return webob(request, 400, `Incorrect request: Status must be "pending", "accepted" or "rejected".`)
  }
  member.status = status
  member.updated_at = request.now
  return json(200, show(image, member))
})

const remove = ofMember((request, image, member) => {
  if (!owns(request, image)) return webob(request, 403, `Not allowed to delete members for image ${image.id}.`)
  delete image.members[member.member_id]
  return empty(204)
})

const list = ofShared((request, image) =>
  json(200, {
    members: Object.values(image.members)
      .filter((_) => owns(request, image) || _.member_id === request.scope.projectId)
      .map((_) => show(image, _)),
    schema: "/v2/schemas/members"
  })
)

const addTag = ofOwnImage("modify_image", (request, image) => {
  const tag = request.params["tag"] ?? ""
  if (!isTag(tag)) return webob(request, 400, "Invalid value for tag: exceeds 255 characters.")
  const tags = [...new Set([...image.tags, tag])]
  if (tags.length > tagQuota) return webob(request, 413, `Image tag limit exceeded for image ${image.id}`)
  image.tags = tags
  return done
})

const removeTag = ofOwnImage("modify_image", (request, image) => {
  const tag = request.params["tag"] ?? ""
  if (!image.tags.includes(tag)) return webob(request, 404, "The resource could not be found.")
  image.tags = image.tags.filter((_) => _ !== tag)
  return done
})

export const memberRoutes: Routes = {
  "GET /v2/images/:id/members": imageRoute(list),
  "POST /v2/images/:id/members": memberRoute("add_member", add),
  "GET /v2/images/:id/members/:member": imageRoute(ofMember((_, image, member) => json(200, show(image, member)))),
  "PUT /v2/images/:id/members/:member": memberRoute("modify_member", answer),
  "DELETE /v2/images/:id/members/:member": memberRoute("delete_member", remove),
  "PUT /v2/images/:id/tags/:tag": memberRoute("modify_image", addTag),
  "DELETE /v2/images/:id/tags/:tag": memberRoute("modify_image", removeTag)
}
