// A call that a page makes, as a person makes the same at a terminal or in a program of his own.

export type { Call, OperationCall, PathCall } from "./Call.ts"
export { asClientCode } from "./clientCode.ts"
export { asCommand } from "./command.ts"
export { asCurl } from "./curl.ts"
