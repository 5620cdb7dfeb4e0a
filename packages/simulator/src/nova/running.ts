import type { Server } from "./state.ts"

/** A server that has been running since the epoch, without a network or an image, for tests that need any server. */
export const running = (id: string, project_id: string): Server => ({
  id,
  project_id,
  user_id: "u",
  name: id,
  description: null,
  flavor_id: "2",
  old_flavor_id: null,
  image_id: null,
  key_name: null,
  networks: [],
  security_groups: [],
  metadata: {},
  availability_zone: "nova",
  vm_state: "active",
  task_state: null,
  locked_by: null,
  created_at: 0,
  updated_at: 0,
  due: null
})
