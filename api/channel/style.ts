// The farmer pages' colours with denser tables. Below 60rem each row becomes a card.
const RULES = `
:root{color-scheme:light dark;--page:#fff;--text:#1c2321;--soft:#4d5854;--line:#c9d1cd;--edge:#767f7b;--link:#0b5a9e;
--go:#14612f;--bad:#b3200f;--box:#f1f5f2;--note:#fff3bf;--warn:#7a4b00;--struck:#f6c9c2}
@media(prefers-color-scheme:dark){:root{--page:#14181a;--text:#edf1ef;--soft:#b6c0bb;--line:#3a4447;--edge:#8b9691;--link:#8ec7ff;
--go:#8fd6a4;--bad:#ffa99f;--box:#1f2628;--note:#4a3d00;--warn:#ffd98a;--struck:#5b2019}}
*{box-sizing:border-box}
html{font:.9375rem/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);overflow-wrap:anywhere}
@media(min-width:60.1rem){td b{overflow-wrap:break-word}}
header,main{padding:0 max(1rem,50vw - 42rem)}
header{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;gap:.3rem 1rem;
padding-top:.5rem;padding-bottom:.5rem;border-bottom:1px solid var(--line)}
header p{margin:0;font-weight:600}
header p .soft{font-weight:400}
header p a{color:inherit;text-decoration:none}
header form{display:flex;flex-wrap:wrap;align-items:center;gap:.3rem .9rem}
main{padding-top:.75rem;padding-bottom:3rem}
form.narrow,div.narrow,main.narrow>*{max-width:32rem}
h1{font-size:1.5rem;line-height:1.25;margin:.75rem 0}
h2{font-size:1.1rem;margin:0 0 .5rem}
h1 .badge{font-size:.9375rem;vertical-align:middle}
p,ul,ol,dl,pre{margin:0 0 .75rem}
pre{background:var(--box);padding:.75rem;border-radius:.3rem;white-space:pre-wrap}
code{font-size:.9em}
small,.soft{color:var(--soft)}
small{font-size:.85em}
a{color:var(--link);text-underline-offset:.15em}
section{border-top:1px solid var(--line);padding-top:1rem;margin-top:1.5rem}
section.empty{border:0;padding:0}
table{border-collapse:collapse;width:100%;margin:0 0 .75rem}
th,td{text-align:left;vertical-align:top;padding:.35rem 1.1rem .35rem 0;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600;font-size:.85em;white-space:nowrap}
th:last-child,td:last-child{padding-right:0}
.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
time{font-variant-numeric:tabular-nums}
time small{white-space:nowrap}
.keep{white-space:nowrap}
.line{display:block}
.badge{display:inline-block;white-space:nowrap;font-weight:600;padding:0 .45rem;border:1px solid;border-radius:.8rem}
.healthy,.delivered{color:var(--go)}
.failing,.failed{color:var(--bad)}
.badge.failing,.badge.failed{background:var(--bad);color:var(--page);border-color:var(--bad)}
.stale,.paused{color:var(--warn)}
.badge.stale,.badge.paused{background:var(--note)}
.running,.superseded,.resized{color:var(--soft)}
.running{border-style:dashed}
tr.failing,tr.paused,tr.stale,tr.healthy{color:inherit}
tr.failing td:first-child{box-shadow:-.4rem 0 0 var(--page),-.6rem 0 0 var(--bad)}
.tally{display:inline-block;white-space:nowrap;margin-right:1rem}
.facts{display:flex;flex-wrap:wrap;gap:.5rem 2rem}
dt{color:var(--soft);font-size:.85em;font-weight:600}
dd{margin:0}
.problems{list-style:none;padding:.6rem .9rem;border-left:.3rem solid var(--bad);background:var(--box)}
.done,.unsure{background:var(--box);border-left:.3rem solid var(--go);padding:.6rem .9rem}
.unsure{background:var(--note);border-color:var(--warn);color:var(--warn)}
.effect{font-size:1.2rem}
nav{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;padding-top:.75rem}
.actions{display:flex;flex-wrap:wrap;gap:.6rem;align-items:flex-start}
.actions details{border:1px solid var(--edge);border-radius:.3rem;max-width:100%}
.actions details[open]{flex:0 1 24rem;padding:0 .8rem .8rem}
.actions summary{cursor:pointer;font-weight:600;padding:.45rem .8rem;color:var(--link)}
.actions>p{margin:0;border:1px solid var(--edge);border-radius:.3rem;font-weight:600;max-width:100%}
.actions>p a{display:block;padding:.45rem .8rem;text-decoration:none}
.actions details[open] summary{padding-left:0}
summary{cursor:pointer}
label{font-weight:600;display:block;margin:.3rem 0 .2rem}
input,select{font:inherit;color:inherit;background:var(--page);border:1px solid var(--edge);border-radius:.3rem;
min-height:2.4rem;padding:.3rem .5rem;max-width:100%}
input[type=text],input[type=password],input[type=url]{width:100%}
input[type=checkbox]{min-height:0;width:1.15rem;height:1.15rem;margin:.1rem 0 0;flex:none;accent-color:var(--go)}
.tick{display:flex;gap:.5rem;margin:0;font-weight:400}
button{font:inherit;font-weight:600;min-height:2.4rem;padding:.3rem .9rem;border:1px solid var(--go);
border-radius:.3rem;background:var(--go);color:var(--page);cursor:pointer;margin:.6rem 0}
button.second{background:transparent;color:var(--link);border-color:var(--edge)}
button.danger{background:var(--bad);border-color:var(--bad)}
header button{margin:0;min-height:2rem}
.buttons{display:flex;flex-wrap:wrap;gap:0 .6rem}
.filters{display:flex;flex-wrap:wrap;gap:.3rem .9rem;align-items:flex-end;margin-bottom:.5rem}
.filters button{margin:0}
.pages a{margin-right:1rem}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.errors{border:2px solid var(--bad);border-radius:.3rem;padding:.6rem .9rem;margin:.75rem 0}
.errors p{margin:0}
.errors a,.error{color:var(--bad);font-weight:600}
.bad{border-left:.3rem solid var(--bad);padding-left:.7rem}
q{display:block;font-family:ui-monospace,monospace;font-size:.85em;background:var(--box);padding:.2rem .4rem;
border-radius:.2rem;max-width:44rem}
.answers{padding-left:1.2rem;margin:.3rem 0 0}
.timeline-row{display:grid;grid-template-columns:17rem 1fr;align-items:center}
.timeline-row p{margin:0}
.timeline-row svg{display:block;width:100%;height:2rem;overflow:visible}
.axis p:last-child{display:flex;justify-content:space-between;font-size:.85em;color:var(--soft)}
.axis{margin-bottom:.5rem}
.legend{display:flex;flex-wrap:wrap;gap:0 1.2rem;list-style:none;padding:0;font-size:.85em;color:var(--soft)}
.legend svg{width:1.6rem;height:2rem;vertical-align:middle}
.ground{fill:var(--line)}
rect.delivered{fill:var(--go);stroke:var(--go);stroke-width:2}
rect.failed{fill:var(--struck);stroke:var(--bad);stroke-width:2}
rect.running{fill:var(--page);stroke:var(--link);stroke-width:2;stroke-dasharray:4 3}
rect.superseded{fill:var(--edge);stroke:var(--edge);stroke-width:2}
rect.resized{fill:var(--page);stroke:var(--edge);stroke-width:2}
.cross{fill:none;stroke:var(--bad);stroke-width:2.5}
@media(max-width:60rem){
table,tbody,tr,td{display:block}
thead{display:none}
tr{border-bottom:2px solid var(--line);padding:.5rem 0}
td{display:grid;grid-template-columns:8rem 1fr;gap:.5rem;border:0;padding:.15rem 0}
td:has(.none){display:none}
td.number{text-align:left;white-space:normal}
td::before{content:attr(data-title);color:var(--soft);font-size:.85em}
tr.failing td:first-child{box-shadow:none}
.timeline-row{grid-template-columns:1fr}
}
`;

/** The only style that the content security policy allows. */
export const CHANNEL_STYLE = RULES.replace(/\n/g, '');
