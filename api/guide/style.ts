import { LIGHT_AND_DARK } from '../farmer/style';

// The farmer pages' colours. Below 64rem the list of pages folds, below 48rem each row of a table becomes a card.
const RULES = `${LIGHT_AND_DARK}
*{box-sizing:border-box}
html{font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:80rem;background:var(--page);color:var(--text);overflow-wrap:break-word}
header,header nav,footer{display:flex;flex-wrap:wrap;gap:0 1.25rem}
header{justify-content:space-between;padding:.6rem 1rem;border-bottom:1px solid var(--line)}
header p{margin:0;font-weight:600}
header p a,.pages a[aria-current]{color:inherit;font-weight:600}
header p a,.pages a{text-decoration:none}
nav.pages{display:none}
details.pages{padding:.6rem 1rem;border-bottom:1px solid var(--line)}
summary{cursor:pointer;font-weight:600}
.pages ul{list-style:none;margin:0;padding:0}
.pages a{display:block;padding:.2rem 0}
.pages ul ul{padding-left:.8rem;border-left:2px solid var(--box);font-size:.9rem}
main{padding:0 1rem 3rem;min-width:0}
h1,h2,h3{line-height:1.3;margin:2.5rem 0 .75rem;scroll-margin-top:1rem}
h1{font-size:1.9rem;margin:1.5rem 0 1rem}
h2{font-size:1.4rem}
h3{font-size:1.15rem;margin-top:2rem}
p,ul,ol,pre,table,blockquote{margin:0 0 1rem}
p,main>ul,main>ol{max-width:48rem}
ul,ol{padding-left:1.5rem}
li{margin:.3rem 0}
blockquote{font-size:1.1rem;color:var(--soft)}
a{color:var(--link);text-underline-offset:.15em}
code{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.875em;background:var(--box);padding:.1em .3em;border-radius:.25rem}
p code,li code{overflow-wrap:anywhere}
pre{background:var(--box);padding:.8rem 1rem;border-radius:.4rem;overflow-x:auto}
pre code{padding:0;overflow-wrap:normal}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.5rem 1rem .5rem 0;border-bottom:1px solid var(--box)}
th{font-size:.85rem;color:var(--soft);border-color:var(--line)}
img{max-width:100%;height:auto;border:1px solid var(--line);border-radius:.4rem}
footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line);font-size:.9rem}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
@media(min-width:64rem){
body{display:grid;grid-template:auto 1fr/17rem minmax(0,1fr)}
header{grid-column:1/3}
details.pages{display:none}
nav.pages{display:block;position:sticky;top:0;align-self:start;max-height:100vh;overflow-y:auto;padding:1.5rem 1rem;font-size:.95rem}
main{padding:0 1rem 4rem 2rem}
}
@media(max-width:48rem){
table,tbody,tr,td{display:block}
thead,td:empty{display:none}
tr{border-bottom:1px solid var(--line);padding:.5rem 0}
td{border:0;padding:.1rem 0}
td:first-child{font-weight:600}
td+td::before{content:attr(data-title);display:block;color:var(--soft);font-size:.85rem}
}
`;

/** The only style that the content security policy allows. */
export const GUIDE_STYLE = RULES.replace(/\n/g, '');
