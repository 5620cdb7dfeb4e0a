export interface NeutronState {}

export const neutron = (): NeutronState => ({})
