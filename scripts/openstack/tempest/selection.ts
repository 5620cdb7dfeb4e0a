/** Regular expressions: of `include` one matches at the beginning of a test's name, of `exclude` anywhere in it. */
export interface Suite {
  readonly include: string
  readonly exclude?: string
  /** Not run on the simulated cloud. */
  readonly isReal?: true
}

/** The tests of the services that Portico forwards to, from Tempest and from its plugins. */
export const suites: Readonly<Record<string, Suite>> = {
  core: {
    include: "tempest.api.(compute|image|network|volume)",
    // They pass where the next request is there before an image is saved.
    exclude: "test_create_second_image_when_first_image_is_being_saved|test_delete_saving_image"
  },
  identity: { include: "tempest.api.identity.v3" },
  neutron: { include: "neutron_tempest_plugin.api" },
  // It makes balancers on networks that do not exist: the real cloud's driver needs none, and the simulated Octavia, like
  // a real driver, does.
  octavia: {
    include: "octavia_tempest_plugin.tests.api",
    exclude: "flavor|availability_zone|provider|amphora",
    isReal: true
  },
  // What is an administrator's alone has tests in files of its own.
  designate: {
    include: "designate_tempest_plugin.tests.api.v2",
    exclude: "test_(tld|tsigkey|blacklists|pool|quotas|service)"
  },
  barbican: { include: "barbican_tempest_plugin.tests.api" },
  cinder: { include: "cinder_tempest_plugin.api" },
  /** Of all of them those that wait for no server to change its state. */
  quick: { include: "\\w+.(tests.)?api", exclude: "tempest.api.compute.(servers|volumes|images)|octavia" }
}

/** Packages and classes for administrators of a cloud say so in their names. */
const forAdministrators = /\.admin\.|\.\w*Admin\w*\./

/** Whether a tenant can run the test, by its name without the attributes in brackets. */
export const isSelected = ({ exclude, include }: Suite, test: string): boolean =>
  new RegExp(`^${include}\\.`).test(test) &&
  !forAdministrators.test(test) &&
  (exclude === undefined || !new RegExp(exclude).test(test))
