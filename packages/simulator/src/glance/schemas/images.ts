import type { JsonObject } from "../../Json.ts"

/** The schemas of images, their members and tasks, as `glance/api/v2` of release 30 has them. */
export const image: JsonObject = {
  name: "image",
  properties: {
    id: {
      type: "string",
      description: "An identifier for the image",
      pattern: "^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$"
    },
    name: { type: ["null", "string"], description: "Descriptive name for the image", maxLength: 255 },
    status: {
      type: "string",
      readOnly: true,
      description: "Status of the image",
      enum: [
        "queued",
        "saving",
        "active",
        "killed",
        "deleted",
        "uploading",
        "importing",
        "pending_delete",
        "deactivated"
      ]
    },
    visibility: {
      type: "string",
      description: "Scope of image accessibility",
      enum: ["community", "public", "private", "shared"]
    },
    protected: { type: "boolean", description: "If true, image will not be deletable." },
    os_hidden: { type: "boolean", description: "If true, image will not appear in default image list response." },
    checksum: { type: ["null", "string"], readOnly: true, description: "md5 hash of image contents.", maxLength: 32 },
    os_hash_algo: {
      type: ["null", "string"],
      readOnly: true,
      description: "Algorithm to calculate the os_hash_value",
      maxLength: 64
    },
    os_hash_value: {
      type: ["null", "string"],
      readOnly: true,
      description: "Hexdigest of the image contents using the algorithm specified by the os_hash_algo",
      maxLength: 128
    },
    owner: { type: ["null", "string"], description: "Owner of the image", maxLength: 255 },
    size: { type: ["null", "integer"], readOnly: true, description: "Size of image file in bytes" },
    virtual_size: { type: ["null", "integer"], readOnly: true, description: "Virtual size of image in bytes" },
    container_format: {
      type: ["null", "string"],
      description: "Format of the container",
      enum: [null, "ami", "ari", "aki", "bare", "ovf", "ova", "docker", "compressed"]
    },
    disk_format: {
      type: ["null", "string"],
      description: "Format of the disk",
      enum: [null, "ami", "ari", "aki", "vhd", "vhdx", "vmdk", "raw", "qcow2", "vdi", "iso", "ploop"]
    },
    created_at: { type: "string", readOnly: true, description: "Date and time of image registration" },
    updated_at: { type: "string", readOnly: true, description: "Date and time of the last image modification" },
    tags: {
      type: "array",
      description: "List of strings related to the image",
      items: { type: "string", maxLength: 255 }
    },
    direct_url: { type: "string", readOnly: true, description: "URL to access the image file kept in external store" },
    min_ram: { type: "integer", description: "Amount of ram (in MB) required to boot image." },
    min_disk: { type: "integer", description: "Amount of disk space (in GB) required to boot image." },
    self: { type: "string", readOnly: true, description: "An image self url" },
    file: { type: "string", readOnly: true, description: "An image file url" },
    stores: {
      type: "string",
      readOnly: true,
      description:
        "Store in which image data resides.  Only present when the operator has enabled multiple stores.  May be a comma-separated list of store identifiers."
    },
    schema: { type: "string", readOnly: true, description: "An image schema url" },
    locations: {
      type: "array",
      items: {
        type: "object",
        properties: {
          url: { type: "string", maxLength: 255 },
          metadata: { type: "object" },
          validation_data: {
            description:
              "Values to be used to populate the corresponding image properties. If the image status is not 'queued', values must exactly match those already contained in the image properties.",
            type: "object",
            writeOnly: true,
            additionalProperties: false,
            properties: {
              checksum: { type: "string", minLength: 32, maxLength: 32 },
              os_hash_algo: { type: "string", maxLength: 64 },
              os_hash_value: { type: "string", maxLength: 128 }
            },
            required: ["os_hash_algo", "os_hash_value"]
          }
        },
        required: ["url", "metadata"]
      },
      description: "A set of URLs to access the image file kept in external store"
    }
  },
  additionalProperties: { type: "string" },
  links: [
    { rel: "self", href: "{self}" },
    { rel: "enclosure", href: "{file}" },
    { rel: "describedby", href: "{schema}" }
  ]
}

export const member: JsonObject = {
  name: "member",
  properties: {
    member_id: { type: "string", description: "An identifier for the image member (tenantId)" },
    image_id: {
      type: "string",
      description: "An identifier for the image",
      pattern: "^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$"
    },
    created_at: { type: "string", description: "Date and time of image member creation" },
    updated_at: { type: "string", description: "Date and time of last modification of image member" },
    status: {
      type: "string",
      description: "The status of this image member",
      enum: ["pending", "accepted", "rejected"]
    },
    schema: { readOnly: true, type: "string" }
  }
}

export const task: JsonObject = {
  name: "task",
  properties: {
    id: {
      description: "An identifier for the task",
      pattern: "^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$",
      type: "string"
    },
    type: {
      description: "The type of task represented by this content",
      enum: ["import", "api_image_import", "location_import"],
      type: "string"
    },
    status: {
      description: "The current status of this task",
      enum: ["pending", "processing", "success", "failure"],
      type: "string"
    },
    input: { description: "The parameters required by task, JSON blob", type: ["null", "object"] },
    result: { description: "The result of current task, JSON blob", type: ["null", "object"] },
    owner: { description: "An identifier for the owner of this task", type: "string" },
    message: {
      description: "Human-readable informative message only included when appropriate (usually on failure)",
      type: "string"
    },
    image_id: { description: "Image associated with the task", type: "string" },
    request_id: { description: "Human-readable informative request-id", type: "string" },
    user_id: { description: "User associated with the task", type: "string" },
    expires_at: { description: "Datetime when this resource would be subject to removal", type: ["null", "string"] },
    created_at: { description: "Datetime when this resource was created", type: "string" },
    updated_at: { description: "Datetime when this resource was updated", type: "string" },
    self: { readOnly: true, type: "string" },
    schema: { readOnly: true, type: "string" }
  }
}
