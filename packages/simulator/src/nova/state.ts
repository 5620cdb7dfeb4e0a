export interface NovaState {}

export const nova = (): NovaState => ({})
