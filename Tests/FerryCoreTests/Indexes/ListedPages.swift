/// Listings as real servers wrote them, of one directory.
///
/// It has a subdirectory `sub`, and files whose names need escapes. `big.bin` has 123,456 bytes.
enum ListedPages {
    /// nginx 1.22.1, `autoindex on`.
    static let nginx = #"""
        <html>
        <head><title>Index of /</title></head>
        <body>
        <h1>Index of /</h1><hr><pre><a href="../">../</a>
        <a href="sub/">sub/</a>                                               26-Nov-2026 17:27                   -
        <a href="%23hash%3Fq.txt">#hash?q.txt</a>                                        26-Nov-2026 17:27                   2
        <a href="a%20b%2Bc%25.txt">a b+c%.txt</a>                                         26-Nov-2026 17:27                   3
        <a href="big.bin">big.bin</a>                                            02-Jan-2026 03:04              123456
        <a href="longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglong.txt">longlonglonglonglonglonglonglonglonglonglonglon..&gt;</a> 26-Nov-2026 17:27                   2
        <a href="semi%3Bcolon%3Ax.txt">semi;colon:x.txt</a>                                   26-Nov-2026 17:27                   2
        <a href="%C3%BC%26%3Cq%3E%221.txt">ü&amp;&lt;q&gt;&quot;1.txt</a>                                       26-Nov-2026 17:27                   2
        </pre><hr></body>
        </html>
        """#

    /// nginx 1.22.1, `autoindex_format json`.
    static let nginxJSON = #"""
        [
        { "name":"sub", "type":"directory", "mtime":"Thu, 26 Nov 2026 17:27:08 GMT" },
        { "name":"#hash?q.txt", "type":"file", "mtime":"Thu, 26 Nov 2026 17:27:08 GMT", "size":2 },
        { "name":"a b+c%.txt", "type":"file", "mtime":"Thu, 26 Nov 2026 17:27:08 GMT", "size":3 },
        { "name":"big.bin", "type":"file", "mtime":"Fri, 02 Jan 2026 03:04:05 GMT", "size":123456 },
        { "name":"longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglong.txt", "type":"file", "mtime":"Thu, 26 Nov 2026 17:27:08 GMT", "size":2 },
        { "name":"semi;colon:x.txt", "type":"file", "mtime":"Thu, 26 Nov 2026 17:27:08 GMT", "size":2 },
        { "name":"ü&<q>\"1.txt", "type":"file", "mtime":"Thu, 26 Nov 2026 17:27:08 GMT", "size":2 }
        ]
        """#

    /// Apache 2.4.71, without options.
    static let apache = #"""
        <!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">
        <html>
         <head>
          <title>Index of /</title>
         </head>
         <body>
        <h1>Index of /</h1>
        <ul><li><a href="%23hash%3fq.txt"> #hash?q.txt</a></li>
        <li><a href="a%20b+c%25.txt"> a b+c%.txt</a></li>
        <li><a href="big.bin"> big.bin</a></li>
        <li><a href="longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglong.txt"> longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglong.txt</a></li>
        <li><a href="./semi;colon:x.txt"> semi;colon:x.txt</a></li>
        <li><a href="sub/"> sub/</a></li>
        <li><a href="%c3%bc&amp;%3cq%3e%221.txt"> ü&amp;&lt;q&gt;&quot;1.txt</a></li>
        </ul>
        </body></html>
        """#

    /// Apache 2.4.71, `IndexOptions FancyIndexing`.
    static let apacheFancy = #"""
        <!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">
        <html>
         <head>
          <title>Index of /f</title>
         </head>
         <body>
        <h1>Index of /f</h1>
        <pre>      <a href="?C=N;O=D">Name</a>                    <a href="?C=M;O=A">Last modified</a>      <a href="?C=S;O=A">Size</a>  <a href="?C=D;O=A">Description</a><hr>      <a href="/">Parent Directory</a>                             -
              <a href="%23hash%3fq.txt">#hash?q.txt</a>             2026-11-26 17:27    2
              <a href="a%20b+c%25.txt">a b+c%.txt</a>              2026-11-26 17:27    3
              <a href="big.bin">big.bin</a>                 2026-01-02 03:04  121K
              <a href="longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglong.txt">longlonglonglonglong..&gt;</a> 2026-11-26 17:27    2
              <a href="./semi;colon:x.txt">semi;colon:x.txt</a>        2026-11-26 17:27    2
              <a href="sub/">sub/</a>                    2026-11-26 17:27    -
              <a href="%c3%bc&amp;%3cq%3e%221.txt">ü&amp;&lt;q&gt;&quot;1.txt</a>            2026-11-26 17:27    2
        <hr></pre>
        </body></html>
        """#

    /// Apache 2.4.71, `IndexOptions FancyIndexing HTMLTable`.
    static let apacheTable = #"""
        <!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">
        <html>
         <head>
          <title>Index of /t</title>
         </head>
         <body>
        <h1>Index of /t</h1>
          <table>
           <tr><th valign="top">&nbsp;</th><th><a href="?C=N;O=D">Name</a></th><th><a href="?C=M;O=A">Last modified</a></th><th><a href="?C=S;O=A">Size</a></th><th><a href="?C=D;O=A">Description</a></th></tr>
           <tr><th colspan="5"><hr></th></tr>
        <tr><td valign="top">&nbsp;</td><td><a href="/">Parent Directory</a></td><td>&nbsp;</td><td align="right">  - </td><td>&nbsp;</td></tr>
        <tr><td valign="top">&nbsp;</td><td><a href="%23hash%3fq.txt">#hash?q.txt</a></td><td align="right">2026-11-26 17:27  </td><td align="right">  2 </td><td>&nbsp;</td></tr>
        <tr><td valign="top">&nbsp;</td><td><a href="a%20b+c%25.txt">a b+c%.txt</a></td><td align="right">2026-11-26 17:27  </td><td align="right">  3 </td><td>&nbsp;</td></tr>
        <tr><td valign="top">&nbsp;</td><td><a href="big.bin">big.bin</a></td><td align="right">2026-01-02 03:04  </td><td align="right">121K</td><td>&nbsp;</td></tr>
        <tr><td valign="top">&nbsp;</td><td><a href="longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglong.txt">longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglong.txt</a></td><td align="right">2026-11-26 17:27  </td><td align="right">  2 </td><td>&nbsp;</td></tr>
        <tr><td valign="top">&nbsp;</td><td><a href="./semi;colon:x.txt">semi;colon:x.txt</a></td><td align="right">2026-11-26 17:27  </td><td align="right">  2 </td><td>&nbsp;</td></tr>
        <tr><td valign="top">&nbsp;</td><td><a href="sub/">sub/</a></td><td align="right">2026-11-26 17:27  </td><td align="right">  - </td><td>&nbsp;</td></tr>
        <tr><td valign="top">&nbsp;</td><td><a href="%c3%bc&amp;%3cq%3e%221.txt">ü&amp;&lt;q&gt;&quot;1.txt</a></td><td align="right">2026-11-26 17:27  </td><td align="right">  2 </td><td>&nbsp;</td></tr>
           <tr><th colspan="5"><hr></th></tr>
        </table>
        </body></html>
        """#

    /// lighttpd 1.4.69, its style sheet and script cut short.
    static let lighttpd = #"""
        <!DOCTYPE html>
        <html>
        <head>
        <title>Index of /</title>
        <style type="text/css">
        a, a:active {color: blue;}
        </style>
        </head>
        <body>
        <h2>Index of /</h2>
        <div class="list">
        <table summary="Directory Listing" cellpadding="0" cellspacing="0">
        <thead><tr><th class="n">Name</th><th class="m">Last Modified</th><th class="s">Size</th><th class="t">Type</th></tr></thead>
        <tbody>
        <tr class="d"><td class="n"><a href="sub/">sub</a>/</td><td class="m">2026-Nov-26 17:27:08</td><td class="s">- &nbsp;</td><td class="t">Directory</td></tr>
        <tr><td class="n"><a href="%23hash%3Fq.txt">#hash?q.txt</a></td><td class="m">2026-Nov-26 17:27:08</td><td class="s">0.1K</td><td class="t">application/octet-stream</td></tr>
        <tr><td class="n"><a href="a%20b%2Bc%25.txt">a b+c%.txt</a></td><td class="m">2026-Nov-26 17:27:08</td><td class="s">0.1K</td><td class="t">application/octet-stream</td></tr>
        <tr><td class="n"><a href="big.bin">big.bin</a></td><td class="m">2026-Jan-02 03:04:05</td><td class="s">120.5K</td><td class="t">application/octet-stream</td></tr>
        <tr><td class="n"><a href="longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglong.txt">longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglong.txt</a></td><td class="m">2026-Nov-26 17:27:08</td><td class="s">0.1K</td><td class="t">application/octet-stream</td></tr>
        <tr><td class="n"><a href="semi%3Bcolon%3Ax.txt">semi;colon:x.txt</a></td><td class="m">2026-Nov-26 17:27:08</td><td class="s">0.1K</td><td class="t">application/octet-stream</td></tr>
        <tr><td class="n"><a href="%C3%BC%26%3Cq%3E%221.txt">ü&#x26;&#x3C;q&#x3E;&#x22;1.txt</a></td><td class="m">2026-Nov-26 17:27:08</td><td class="s">0.1K</td><td class="t">application/octet-stream</td></tr>
        </tbody>
        </table>
        </div>
        <div class="foot">lighttpd/1.4.69</div>

        <script type="text/javascript">
        // <a href="script.txt">
        if (1 < 2) { }
        </script>
        </body>
        </html>
        """#

    /// Caddy 2, asked for JSON.
    static let caddyJSON = #"""
        [{"name":"sub/","size":4096,"url":"./sub/","mod_time":"2026-11-26T17:27:08.655252935Z","mode":2147484141,"is_dir":true,"is_symlink":false},{"name":"#hash?q.txt","size":2,"url":"./%23hash%3Fq.txt","mod_time":"2026-11-26T17:27:08.679252936Z","mode":420,"is_dir":false,"is_symlink":false},{"name":"a b+c%.txt","size":3,"url":"./a%20b+c%25.txt","mod_time":"2026-11-26T17:27:08.59493348Z","mode":420,"is_dir":false,"is_symlink":false},{"name":"big.bin","size":123456,"url":"./big.bin","mod_time":"2026-01-02T03:04:05Z","mode":420,"is_dir":false,"is_symlink":false},{"name":"longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglong.txt","size":2,"url":"./longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglong.txt","mod_time":"2026-11-26T17:27:08.679252936Z","mode":420,"is_dir":false,"is_symlink":false},{"name":"semi;colon:x.txt","size":2,"url":"./semi;colon:x.txt","mod_time":"2026-11-26T17:27:08.679252936Z","mode":420,"is_dir":false,"is_symlink":false},{"name":"ü\u0026\u003cq\u003e\"1.txt","size":2,"url":"./%C3%BC\u0026%3Cq%3E%221.txt","mod_time":"2026-11-26T17:27:08.655252935Z","mode":420,"is_dir":false,"is_symlink":false}]
        """#

    /// Python 3.11, `http.server`.
    static let python = #"""
        <!DOCTYPE HTML>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <title>Directory listing for /</title>
        </head>
        <body>
        <h1>Directory listing for /</h1>
        <hr>
        <ul>
        <li><a href="%23hash%3Fq.txt">#hash?q.txt</a></li>
        <li><a href="a%20b%2Bc%25.txt">a b+c%.txt</a></li>
        <li><a href="big.bin">big.bin</a></li>
        <li><a href="longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglong.txt">longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglong.txt</a></li>
        <li><a href="semi%3Bcolon%3Ax.txt">semi;colon:x.txt</a></li>
        <li><a href="sub/">sub/</a></li>
        <li><a href="%C3%BC%26%3Cq%3E%221.txt">ü&amp;&lt;q&gt;"1.txt</a></li>
        </ul>
        <hr>
        </body>
        </html>
        """#
}
