import CambiumCompiler

extension DocumentationEmitter {
    /// The style of the page in light mode, in dark mode and on paper.
    static let style = """
        :root { color-scheme: light dark; --text: #1d2733; --faint: #5a6878; --back: #ffffff;
          --panel: #f5f7fa; --line: #dde3ea; --accent: #0b62c4; --code: #eef2f6; --good: #12733f;
          --bad: #b3261e }
        @media (prefers-color-scheme: dark) { :root { --text: #e6ebf1; --faint: #9fb0c2;
          --back: #14191f; --panel: #1a2129; --line: #2d3843; --accent: #79b4ff; --code: #222b35;
          --good: #5fd095; --bad: #ff8f86 } }
        * { box-sizing: border-box }
        html { scroll-padding-top: 1rem }
        body { margin: 0; display: grid; grid-template-columns: 15rem minmax(0, 1fr);
          font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif;
          color: var(--text); background: var(--back) }
        a { color: var(--accent); text-decoration: none }
        a:hover { text-decoration: underline }
        nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem;
          background: var(--panel); border-right: 1px solid var(--line); font-size: .9rem }
        nav .name { font-weight: 700; font-size: 1.1rem; margin: 0 0 1rem; overflow-wrap: anywhere }
        nav h2 { font-size: .75rem; letter-spacing: .06em; text-transform: uppercase;
          color: var(--faint); margin: 1.2rem 0 .3rem }
        nav ul { list-style: none; margin: 0; padding: 0 }
        nav li { padding: .1rem 0; overflow-wrap: anywhere }
        main { padding: 2rem 3rem 4rem; max-width: 75rem; min-width: 0 }
        h1 { margin: 0; font-size: 2.2rem; line-height: 1.2; overflow-wrap: anywhere }
        .lead { color: var(--faint); margin: .3rem 0 1.5rem }
        section { margin: 2.5rem 0 0; padding-top: 1.5rem; border-top: 1px solid var(--line) }
        section > h2 { margin: 0 0 .6rem; font-size: 1.5rem; overflow-wrap: anywhere }
        h3 { font-size: 1rem; margin: 1.4rem 0 .5rem }
        code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono",
          monospace; font-size: .875em }
        code { background: var(--code); border-radius: 4px; padding: .1em .35em;
          overflow-wrap: anywhere }
        pre { background: var(--code); border-radius: 8px; padding: 1rem; overflow: auto }
        .scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px;
          margin: .5rem 0 1rem }
        table { border-collapse: collapse; width: 100%; font-size: .92rem }
        th { text-align: left; font-weight: 600; color: var(--faint); background: var(--panel);
          font-size: .8rem }
        th, td { padding: .45rem .8rem; vertical-align: top;
          border-bottom: 1px solid var(--line) }
        tbody tr:last-child td { border-bottom: 0 }
        tr:target td { background: color-mix(in srgb, var(--accent) 14%, transparent) }
        .badge { display: inline-block; font-size: .75rem; font-weight: 600; line-height: 1.4;
          padding: .1em .6em; border-radius: 1em; border: 1px solid var(--line);
          color: var(--faint); vertical-align: middle; white-space: nowrap }
        .badge.good { color: var(--good); border-color: currentColor }
        .badge.bad { color: var(--bad); border-color: currentColor }
        .note { color: var(--faint); font-size: .9rem }
        .up { display: none; position: fixed; right: 1rem; bottom: 1rem; padding: .4rem .9rem;
          border: 1px solid var(--line); border-radius: 2em; background: var(--panel);
          font-size: .9rem }
        dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem 1rem;
          font-size: .9rem; margin: .5rem 0 }
        dt { color: var(--faint) }
        dd { margin: 0; overflow-wrap: anywhere }
        figure { margin: 0; padding: 1rem; overflow: auto; border: 1px solid var(--line);
          border-radius: 8px; background: var(--panel) }
        figure svg { display: block; margin: auto; max-width: 100%; height: auto }
        figure.live { padding: 0; overflow: hidden }
        figure.live svg { width: 100%; height: 100%; cursor: grab; touch-action: none;
          user-select: none; -webkit-user-select: none }
        figure.live svg:active { cursor: grabbing }
        .miss { display: none }
        .node.miss { display: inline; opacity: .15 }
        .tools { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center;
          margin: 0 0 .6rem }
        .tools[hidden], #found:empty { display: none }
        input, button { font: inherit; font-size: .85rem; color: var(--text);
          background: var(--back); border: 1px solid var(--line); border-radius: 6px;
          padding: .25rem .6rem }
        button { cursor: pointer }
        button:hover { border-color: var(--accent) }
        nav input, #found { width: 100% }
        nav button { flex: auto; padding: .25rem .3rem; white-space: nowrap }
        .entity summary { list-style-position: outside }
        .entity summary > h2 { display: inline-block; margin: 0 0 .2rem; font-size: 1.3rem;
          color: var(--text); overflow-wrap: anywhere }
        section.entity { margin-top: .8rem; padding-top: .8rem }
        details { margin: 1rem 0 }
        .entity details { margin: 0 }
        summary { cursor: pointer; color: var(--faint) }
        footer { margin-top: 3rem; color: var(--faint); font-size: .85rem }
        @media (max-width: 50rem) { body { display: block } main { padding: 1.25rem 1.25rem 4rem }
          nav { position: static; height: auto; max-height: 45vh; border-right: 0;
            border-bottom: 1px solid var(--line); padding: 1.25rem }
          th, td { padding: .35rem .5rem } td:first-child code { white-space: nowrap }
          .up { display: block } }
        @media (max-width: 40rem) { thead, td:empty { display: none }
          table, tbody, tr, td:first-child { display: block }
          tr { padding: .45rem .7rem; border-bottom: 1px solid var(--line); line-height: 1.7 }
          tbody tr:last-child { border-bottom: 0 }
          td { display: inline; padding: 0 .8rem 0 0; border: 0 }
          td:first-child { padding: 0 } td:first-child code { white-space: normal }
          td + td::before { content: attr(data-name) " "; font-size: .85em; color: var(--faint) }
          td:is([data-name="Type"], [data-name="Presence"], [data-name="Details"],
            [data-name="Destination"], [data-name="Number"])::before { content: none } }
        @media print { nav, .tools, .up, .entity button { display: none } body { display: block } }

        """
}
