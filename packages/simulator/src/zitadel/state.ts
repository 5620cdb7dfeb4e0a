export interface ZitadelState {}

export const zitadel = (): ZitadelState => ({})
