declare module "#plane" {
  export const plane: import("./app/definitions.ts").Plane
}
