/** The report's own style: nothing is fetched. */
export const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; background: #fff }
h1 { margin-bottom: 0 } h2 { margin-top: 2rem } .lead { font-size: 1.2rem }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid #d0d7de; vertical-align: top }
.number { text-align: right } svg { width: 100%; height: auto; font-size: 14px } svg line { stroke: #d0d7de } svg text { fill: #1b1f24 } .tick { font-size: 11px; fill: #59636e }
.delivered { fill: #1a7f37 } .failed { fill: #cf222e } .running { fill: #0969da } .superseded, .resized { fill: #8c959f }
.key { display: inline-block; width: .8rem; height: .8rem; margin: 0 .3rem 0 1rem } pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; font-size: .85rem }
@media print { body { margin: 0 } }
`;
