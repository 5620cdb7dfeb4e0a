export interface RgwState {}

export const rgw = (): RgwState => ({})
