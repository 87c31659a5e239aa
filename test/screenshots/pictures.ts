/** One picture of the Temporal UI: a list of workflows, or a tab of one workflow's page. */
export interface Picture {
  name: string;
  view: { list: string } | { workflow: string; tab: 'timeline' | 'user-metadata' };
  /** Pixels from the top of the page, below which nothing tells more. */
  height: number;
  /** What has to be read there before it is taken. */
  says: (string | RegExp)[];
}

// The lists first, while the reset is on its way; then the pages, the reset's when it has come some pages far.
export const PICTURES: Picture[] = [
  {
    name: '0-channels',
    view: { list: 'WorkflowType="channelFeed"' },
    height: 508,
    says: [/channel\/acme[^/]*healthy/, /channel\/credit[^/]*failing/, /channel\/prairie[^/]*paused/],
  },
  {
    name: '0-deliveries',
    view: { list: 'WorkflowType="feedDelivery"' },
    height: 783,
    says: [
      /Running\s+delivery\/hail\/tickets\/2/i,
      /Failed\s+delivery\/credit\/tickets\/2[^/]*unauthorized/i,
      /Running\s+delivery\/river\/tickets\/2[^/]*reset/i,
      /delivery\/bank\/tickets\/1\/catch-up[^/]*94[^/]*delivered[^/]*subscriptions/,
    ],
  },
  {
    name: '1-healthy',
    view: { workflow: 'channel/acme', tab: 'user-metadata' },
    height: 750,
    says: ['Acme Crop Insurance: next run at', 'confirmed up to', '12 records by', '25 records by'],
  },
  {
    name: '2-down',
    view: { workflow: 'delivery/hail/tickets/2', tab: 'timeline' },
    height: 1140,
    says: [/Running/i, /(Great Plains Hail answered 503, next try [\d:]{8} UTC\s[^]*){3}/],
  },
  {
    name: '3-failed',
    view: { workflow: 'delivery/credit/tickets/2', tab: 'user-metadata' },
    height: 640,
    says: [
      /Failed/i,
      'tickets to Farm Credit West',
      'Farm Credit West answered 401: check the channel’s authorization',
    ],
  },
  {
    name: '5-catch-up',
    view: { workflow: 'delivery/bank/tickets/1/catch-up', tab: 'timeline' },
    height: 900,
    says: [
      /Completed/i,
      '"channel_name": "Heartland Farm Bank"',
      '"trigger": "subscriptions"',
      '"records": 94',
    ],
  },
  {
    name: '6-paused',
    view: { workflow: 'channel/prairie', tab: 'user-metadata' },
    height: 750,
    says: ['Prairie Mutual: paused (their maintenance until Monday). Nothing is lost'],
  },
  {
    name: '4-reset',
    view: { workflow: 'delivery/river/tickets/2', tab: 'user-metadata' },
    height: 640,
    says: [
      /Running/i,
      'tickets to Red River Ag Bank',
      'Started by: reset',
      /page \d+ of 18, \d+ of 900 records/,
    ],
  },
];
