import { Disc3, HardDrive } from "lucide-react"
import type { Area } from "../app/definitions.ts"

const title = { en: "Volumes", de: "Volumes" }
const imagesTitle = { en: "Images", de: "Abbilder" }

export const volumes: Area = {
  title,
  icon: HardDrive,
  pages: [
    {
      path: "/storage/volumes",
      title,
      load: () => import("./VolumesPage.tsx"),
      keywords: "disk block storage cinder platte"
    },
    { path: "/storage/volumes/:volume_id", title, load: () => import("./VolumePage.tsx") },
    {
      path: "/storage/snapshots",
      title: { en: "Snapshots", de: "Schnappschüsse" },
      load: () => import("./SnapshotsPage.tsx"),
      keywords: "backup copy"
    }
  ],
  acts: [
    {
      title: { en: "Create a volume", de: "Volume erstellen" },
      href: "/storage/volumes?dialog=create",
      when: ({ tier }) => tier >= 1
    }
  ],
  finder: () => import("./find.ts")
}

export const images: Area = {
  title: imagesTitle,
  icon: Disc3,
  pages: [
    {
      path: "/storage/images",
      title: imagesTitle,
      load: () => import("./ImagesPage.tsx"),
      keywords: "operating system template glance betriebssystem"
    },
    { path: "/storage/images/:image_id", title: imagesTitle, load: () => import("./ImagePage.tsx") }
  ]
}
