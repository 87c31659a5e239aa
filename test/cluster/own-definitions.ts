// The Worker Controller and NGINX Gateway Fabric are not to be had as the others are (fetch-cluster.ts): of their kinds these have
// the fields that the components set, as the reference of each says them. A pod or a ScaledObject in one is applied as such.

const text = (pattern = '^.+$') => ({ type: 'string', pattern });
const object = (properties: object, required: string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const named = object({ name: text() });

const definition = (group: string, kind: string, plural: string, spec: object) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { kind, plural },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
      },
    ],
  },
});

export const OWN_DEFINITIONS = [
  definition('temporal.io', 'Connection', 'connections', {
    ...object(
      {
        hostPort: text('^[a-zA-Z0-9.-]+:[0-9]+$'),
        mutualTLSSecretRef: named,
        apiKeySecretRef: object({ name: text(), key: text() }),
      },
      ['hostPort'],
    ),
    'x-kubernetes-validations': [
      {
        rule: '!has(self.mutualTLSSecretRef) || !has(self.apiKeySecretRef)',
        message: 'a certificate or a key, and not both',
      },
    ],
  }),
  definition(
    'temporal.io',
    'WorkerDeployment',
    'workerdeployments',
    object({
      workerOptions: object({ connectionRef: named, temporalNamespace: text() }),
      rollout: object({ strategy: { type: 'string', enum: ['Manual', 'AllAtOnce', 'Progressive'] } }),
      sunset: object({ scaledownDelay: text('^[0-9]+[smh]$'), deleteDelay: text('^[0-9]+[smh]$') }),
      template: anything,
    }),
  ),
  definition(
    'temporal.io',
    'WorkerResourceTemplate',
    'workerresourcetemplates',
    object({ workerDeploymentRef: named, template: anything }),
  ),
  definition(
    'gateway.nginx.org',
    'ClientSettingsPolicy',
    'clientsettingspolicies',
    object({
      targetRef: object({ group: text(), kind: text('^(Gateway|HTTPRoute|GRPCRoute)$'), name: text() }),
      body: object({ maxSize: text('^[0-9]{1,4}[kmg]?$') }),
    }),
  ),
];
