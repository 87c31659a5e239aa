// The workflow bundle is built from this file: what an operator sees as workflow types.
export { channelFeed } from './channel-feed';
export { feedDelivery } from './feed-delivery';
export { reconcileChannels } from './reconcile-channels';
export { testEndpoint } from './test-endpoint';
