export { isObject } from "@portico/contract/isObject"
