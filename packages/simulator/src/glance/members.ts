import { objectAt, stringAt } from "../Json.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import { isTag, tagQuota } from "./properties.ts"
import type { Image, Member } from "./state.ts"
import {
  type Asked,
  type Answering,
  done,
  imageRoute,
  memberRoute,
  ofImage,
  ofOwnImage,
  stamp,
  webob
} from "./webob.ts"

const show = (image: Image, _: Member) => ({
  member_id: _.member_id,
  image_id: image.id,
  status: _.status,
  created_at: stamp(_.created_at),
  updated_at: stamp(_.updated_at),
  schema: "/v2/schemas/member"
})

const statuses = ["pending", "accepted", "rejected"] as const

const owns = ({ scope }: Asked, image: Image): boolean => scope.admin || image.owner === scope.projectId

/** Only an image of visibility `shared` has members at all. */
const ofShared = (handler: (asked: Asked, image: Image) => Answer): Answering =>
  ofImage(
    (asked, image) =>
      image.visibility === "shared"
        ? handler(asked, image)
        : webob(asked, 403, `Error fetching members of image ${image.id}: Only shared images have members.`),
    (id) => `Image ${id} not found.`
  )

/** The owner sees all members, a member sees itself. */
const ofMember = (handler: (asked: Asked, image: Image, member: Member) => Answer): Answering =>
  ofShared((asked, image) => {
    const id = asked.params["member"] ?? ""
    const member = owns(asked, image) || id === asked.scope.projectId ? image.members[id] : undefined
    return member === undefined
      ? webob(asked, 404, `${id} not found in the member list of the image ${image.id}.`)
      : handler(asked, image, member)
  })

const add = ofShared((asked, image) => {
  const id = stringAt(objectAt(asked.json), "member")
  if (id === undefined) return webob(asked, 400, "Member to be added not specified")
  if (id === "") return webob(asked, 400, "Member can't be empty")
  if (!owns(asked, image)) return webob(asked, 403, `Not allowed to create members for image ${image.id}.`)
  if (image.members[id] !== undefined) {
    return webob(asked, 409, `Member ${id} is duplicated for image ${image.id}`)
  }
  const member: Member = { member_id: id, status: "pending", created_at: asked.now, updated_at: asked.now }
  image.members[id] = member
  return json(200, show(image, member))
})

/** Whether to take what is offered is for the member to say, not for the owner. */
const answer = ofMember((asked, image, member) => {
  const given = stringAt(objectAt(asked.json), "status")
  if (given === undefined) return webob(asked, 400, "Status not specified")
  const status = statuses.find((_) => _ === given)
  if (!asked.scope.admin && asked.scope.projectId !== member.member_id) {
    return webob(asked, 403, `Not allowed to update members for image ${image.id}.`)
  }
  if (status === undefined) {
    return webob(asked, 400, `Incorrect request: Status must be "pending", "accepted" or "rejected".`)
  }
  member.status = status
  member.updated_at = asked.now
  return json(200, show(image, member))
})

const remove = ofMember((asked, image, member) => {
  if (!owns(asked, image)) return webob(asked, 403, `Not allowed to delete members for image ${image.id}.`)
  delete image.members[member.member_id]
  return empty(204)
})

const list = ofShared((asked, image) =>
  json(200, {
    members: Object.values(image.members)
      .filter((_) => owns(asked, image) || _.member_id === asked.scope.projectId)
      .map((_) => show(image, _)),
    schema: "/v2/schemas/members"
  })
)

const addTag = ofOwnImage("modify_image", (asked, image) => {
  const tag = asked.params["tag"] ?? ""
  if (!isTag(tag)) return webob(asked, 400, "Invalid value for tag: exceeds 255 characters.")
  const tags = [...new Set([...image.tags, tag])]
  if (tags.length > tagQuota) return webob(asked, 413, `Image tag limit exceeded for image ${image.id}`)
  image.tags = tags
  return done
})

const removeTag = ofOwnImage("modify_image", (asked, image) => {
  const tag = asked.params["tag"] ?? ""
  if (!image.tags.includes(tag)) return webob(asked, 404, "The resource could not be found.")
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
