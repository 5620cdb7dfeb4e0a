export interface OctaviaState {}

export const octavia = (): OctaviaState => ({})
