/** The colours of both schemes, with a contrast of at least 4.5. */
export const LIGHT_AND_DARK = `
:root{color-scheme:light dark;--page:#fff;--text:#1c2321;--soft:#4d5854;--line:#767f7b;--link:#0b5a9e;
--go:#14612f;--on-go:#fff;--bad:#b3200f;--box:#f1f5f2;--note:#fff3bf;--on-note:#3b2f00}
@media(prefers-color-scheme:dark){:root{--page:#14181a;--text:#edf1ef;--soft:#b6c0bb;--line:#8b9691;--link:#8ec7ff;
--go:#8fd6a4;--on-go:#08240f;--bad:#ffa99f;--box:#1f2628;--note:#4a3d00;--on-note:#fff3bf}}`;

// System fonts of at least 18 px, rows large enough for a thumb.
const RULES = `${LIGHT_AND_DARK}
*{box-sizing:border-box}
html{font:1.125rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);overflow-wrap:anywhere}
header,main{max-width:38rem;margin:0 auto;padding:0 1rem}
header{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;gap:1rem;padding-top:.5rem;
padding-bottom:.5rem;border-bottom:1px solid var(--line)}
header p{margin:0;font-weight:600;overflow-wrap:break-word}
main{padding-bottom:2rem}
.sign-out{max-width:38rem;margin:0 auto;padding:0 1rem 2rem}
h1{font-size:1.6rem;line-height:1.25;margin:1.5rem 0 1rem}
h2,h3{font-size:1.2rem;line-height:1.3;margin:1.75rem 0 .5rem}
p,ul{margin:0 0 1rem}
ul{padding-left:1.4rem}
ul.plain{list-style:none;padding:0}
ul.plain>li{padding:.6rem 0;border-bottom:1px solid var(--line)}
ul.plain b,ul.plain small{display:block}
ul.plain .button{margin-top:.5rem}
pre{font:inherit;white-space:pre-wrap;margin:0 0 1rem}
small,.soft{font-size:1rem;color:var(--soft)}
a{color:var(--link);text-underline-offset:.15em}
a.plain{display:inline-block;padding:.6rem 0}
label{font-weight:600}
label,.hint{display:block;margin-bottom:.3rem}
input[type=text],input[type=tel],input[type=search],input[type=date]{font:inherit;width:100%;max-width:20rem;min-height:3rem;
padding:.4rem .7rem;color:inherit;background:var(--page);border:2px solid var(--line);border-radius:.4rem}
input.code{letter-spacing:.25em;max-width:11rem}
button,.button{display:inline-block;font:inherit;font-weight:600;min-height:3rem;padding:.6rem 1.2rem;
border:2px solid var(--go);border-radius:.4rem;background:var(--go);color:var(--on-go);text-align:center;
text-decoration:none;cursor:pointer}
button.second,.button.second{background:transparent;color:var(--link);border-color:var(--line)}
button.stop,.button.stop{background:transparent;color:var(--bad);border-color:var(--bad)}
header button.second{min-height:2.75rem;padding:.3rem .9rem;flex:none}
.buttons{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.25rem 0}
.buttons>.main{flex:1 1 100%}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.hidden{position:absolute;width:1px;height:1px;margin:-1px;padding:0;border:0;min-height:0;overflow:hidden;
clip-path:inset(50%);white-space:nowrap}
.errors{border:3px solid var(--bad);border-radius:.4rem;padding:.75rem 1rem;margin:1.25rem 0}
.errors h2{margin-top:0}
.errors ul{margin:0}
.errors a,.error{color:var(--bad);font-weight:600}
.bad{border-left:4px solid var(--bad);padding-left:.9rem}
.done{background:var(--box);border-left:4px solid var(--go);padding:.75rem 1rem;border-radius:.4rem}
.note{background:var(--note);color:var(--on-note);padding:.75rem 1rem;border-radius:.4rem}
fieldset{border:0;margin:0;padding:0;min-width:0}
fieldset+fieldset{margin-top:1.75rem}
legend{font-size:1.2rem;font-weight:600;line-height:1.3;margin:0 0 .5rem;padding:0}
.row+.hint{margin-top:.5rem}
.row{display:flex;gap:.9rem;align-items:flex-start;min-height:3rem;padding:.6rem .2rem;margin:0;
border-bottom:1px solid var(--line);cursor:pointer}
.row input{flex:none;width:1.6rem;height:1.6rem;margin:.1rem 0 0;accent-color:var(--go)}
.row b,.row small{display:block}
.row small{font-weight:400}
.box{background:var(--box);border-radius:.4rem;padding:1rem 1rem .1rem;margin-bottom:1rem}
dl{display:grid;grid-template-columns:2fr 3fr;gap:.2rem .75rem;margin:0}
dt{color:var(--soft)}
dd{margin:0}
section+section{border-top:1px solid var(--line);margin-top:2rem}
table{border-collapse:collapse;width:100%;margin:0 0 1rem;overflow-wrap:break-word}th,td{text-align:left;vertical-align:top}
th{font-weight:400;color:var(--soft)}
@media screen{thead{display:none}tr{display:block;padding:.6rem 0;border-bottom:1px solid var(--line)}td{display:flex;gap:.75rem}
td::before{content:attr(data-title);flex:1;color:var(--soft)}}
@page{size:letter;margin:1.5cm}
@media print{.on-screen{display:none}section,tr{break-inside:avoid}h3{break-after:avoid}header,main{max-width:none;padding:0}
.sheet+.sheet{break-before:page}table{font-size:.6rem}th,td{padding:.15rem .3rem .15rem 0;border-bottom:1px solid var(--line)}}
@media(max-width:15rem){html{font-size:1rem}h1{font-size:1.1rem}h2,h3,legend{font-size:1.05rem}
header,main,.sign-out{padding-left:.5rem;padding-right:.5rem}.errors,.box,.done,.note{padding-left:.5rem;padding-right:.5rem}
button,.button,header button.second{padding:.5rem}.row{gap:.5rem}ul{padding-left:1rem}dl{display:block}}
`;

/** The only style that the content security policy allows. */
export const FARMER_STYLE = RULES.replace(/\n/g, '');
