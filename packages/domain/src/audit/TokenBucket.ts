export { beyondRate, refused, RejectedCalls } from "./RejectedCalls.ts"
