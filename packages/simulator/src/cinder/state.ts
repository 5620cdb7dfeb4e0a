export interface CinderState {}

export const cinder = (): CinderState => ({})
