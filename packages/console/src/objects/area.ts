import { Archive } from "lucide-react"
import type { Area } from "../app/definitions.ts"

export const objects: Area = {
  title: { en: "Object storage", de: "Objektspeicher" },
  icon: Archive,
  pages: [
    {
      path: "/object-storage/buckets",
      title: { en: "Buckets", de: "Buckets" },
      load: () => import("./BucketsPage.tsx"),
      keywords: "s3 object storage files dateien"
    },
    {
      path: "/object-storage/keys",
      title: { en: "S3 keys", de: "S3-Schlüssel" },
      load: () => import("./KeysPage.tsx"),
      keywords: "access key secret aws"
    },
    {
      path: "/object-storage/buckets/:name",
      title: { en: "Objects", de: "Objekte" },
      load: () => import("./ObjectsPage.tsx")
    },
    {
      path: "/object-storage/buckets/:name/versions",
      title: { en: "Versions", de: "Versionen" },
      load: () => import("./VersionsPage.tsx")
    },
    {
      path: "/object-storage/buckets/:name/settings",
      title: { en: "Bucket settings", de: "Einstellungen des Buckets" },
      load: () => import("./SettingsPage.tsx")
    }
  ],
  acts: [
    {
      title: { en: "Create a bucket", de: "Bucket anlegen" },
      href: "/object-storage/buckets?dialog=create-bucket",
      when: ({ tier }) => tier >= 1
    }
  ],
  finder: () => import("./useObjects.ts")
}
