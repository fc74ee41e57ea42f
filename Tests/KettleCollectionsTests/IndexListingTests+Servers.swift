import KettleModel
import Testing

@testable import KettleCollections

/// Pages as servers make them, shortened. Those of nginx 1.22, Apache 2.4 and Python 3.11 are
/// recorded, those of Caddy and lighttpd have the elements that these write.
extension IndexListingTests {
  /// A directory whose names have every character that the servers escape, as each of them lists
  /// it.
  private static let names: Set<String> = [
    "_q_ 's'.txt", "100%.txt", "a b.txt", "a#b.txt", "a&b.txt", "a;b+c.txt", "plain.iso",
    "q_x.txt", "x_y.txt", "ünï.txt",
  ]

  private func sizes(_ page: ListingPage) -> [String: Int64?] {
    Dictionary(page.members.map { ($0.path.text, $0.byteCount) }) { first, _ in first }
  }

  @Test func `a page of nginx is read with its exact sizes`() throws {
    let page = try read(
      """
      <html>
      <head><title>Index of /pub/</title></head>
      <body>
      <h1>Index of /pub/</h1><hr><pre><a href="../">../</a>\r
      <a href="sub%20dir/">sub dir/</a>                                           01-Jun-2025 12:00                   -\r
      <a href="%22q%22%20%27s%27.txt">&quot;q&quot; 's'.txt</a>                                        01-Jun-2025 12:00                  13\r
      <a href="100%25.txt">100%.txt</a>                                           01-Jun-2025 12:00                  11\r
      <a href="a%20b.txt">a b.txt</a>                                            01-Jun-2025 12:00                   5\r
      <a href="a%23b.txt">a#b.txt</a>                                            01-Jun-2025 12:00                   9\r
      <a href="a%26b.txt">a&amp;b.txt</a>                                            01-Jun-2025 12:00                   7\r
      <a href="a%3Bb%2Bc.txt">a;b+c.txt</a>                                          01-Jun-2025 12:00                   8\r
      <a href="nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn.bin">nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn..&gt;</a> 01-Jun-2025 12:00             1500000\r
      <a href="plain.iso">plain.iso</a>                                          01-Jun-2025 12:00               12345\r
      <a href="q%3Fx.txt">q?x.txt</a>                                            01-Jun-2025 12:00                   4\r
      <a href="./x:y.txt">x:y.txt</a>                                            01-Jun-2025 12:00                   3\r
      <a href="%C3%BCn%C3%AF.txt">ünï.txt</a>                                          01-Jun-2025 12:00                2000\r
      </pre><hr></body>
      </html>
      """)
    let long = String(repeating: "n", count: 60) + ".bin"
    #expect(Set(files(page)) == Self.names.union([long]))
    #expect(directories(page) == [Self.url + "sub%20dir/"])
    let sizes = sizes(page)
    #expect(sizes["plain.iso"] == 12345)
    #expect(sizes["ünï.txt"] == 2000)
    #expect(sizes[long] == 1_500_000)
    #expect(page.members.allSatisfy { $0.byteCount != nil })
  }

  @Test(arguments: [
    // nginx with autoindex_exact_size off.
    "</a>            01-Jun-2025 12:00     12K\r\n", "</a>    01-Jun-2025 12:00      1M\r\n",
    "</a>            01-Jun-2025 12:00    2000\r\n",
    // Apache 2.2 and others.
    "</a>    01-Jun-2025 12:00  1.2K  \n", "</a>    01-Jun-2025 12:00   12   \n",
    "</a>    01-Jun-2025 12:00               12345 MB\n",
    "</a>    01-Jun-2025 12:00               1234.\n",
    "</a>    2025-06-01 12:00                12345\n",
    "</a>    01-06-2025 12:00                12345\n",
    // The line goes on, or the number is none.
    "</a>    01-Jun-2025 12:00               12345",
    "</a>    01-Jun-2025 12:00               12345<b>\n",
    "</a>    01-Jun-2025 12:00              -12345\n",
    "</a>    01-Jun-2025 12:00               123 45\n",
    "</a>    01-Jun-2025 12:00                    \n",
    "</a>    01-Jun-2025 12:0099999999999999999999\n",
    "</a>    01-Jun-2025 12:00 9999999999999999999\n",
    "    01-Jun-2025 12:00               12345\n",
  ])
  func `no other number after a link is a size`(text: String) throws {
    let page = try read("<a href=a>a" + text + "</a><a name=x></a>")
    #expect(page.members.count == 1)
    #expect(page.members.first?.byteCount == nil)
    let exact = "<a href=a>a</a> 01-Jun-2025 12:00               12345\n<a name=x></a>" + text
    #expect(try read(exact).members.first?.byteCount == 12345)
  }

  @Test(arguments: [
    ("</a>    01-Jun-2025 12:00               12345\r\n", "01-Jun-2025 12:00 12345"),
    ("</a>   2025-06-01 12:00  1.2K  \n", "2025-06-01 12:00 1.2K"),
    (
      #"</a></td><td align="right">2025-06-01 12:00  </td><td align="right">1.2K</td>"#
        + "<td>&nbsp;</td></tr>\n",
      "2025-06-01 12:00 1.2K &nbsp;"
    ),
    ("</a></td></tr>\n<tr><td>2025</td>", nil), ("</a>", nil),
  ])
  func `the rest of the line shows later whether a file has changed`(
    text: String, stamp: String?
  ) throws {
    let page = try read("<a href=a>a" + text)
    #expect(page.members.first?.stamp == stamp)
  }

  @Test func `a plain page of Apache is read`() throws {
    let page = try read(
      """
      <!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">
      <html>
       <head>
        <title>Index of /pub</title>
       </head>
       <body>
      <h1>Index of /pub</h1>
      <ul><li><a href="/"> Parent Directory</a></li>
      <li><a href="%22q%22%20's'.txt"> &quot;q&quot; 's'.txt</a></li>
      <li><a href="100%25.txt"> 100%.txt</a></li>
      <li><a href="a%20b.txt"> a b.txt</a></li>
      <li><a href="a%23b.txt"> a#b.txt</a></li>
      <li><a href="a&amp;b.txt"> a&amp;b.txt</a></li>
      <li><a href="a;b+c.txt"> a;b+c.txt</a></li>
      <li><a href="plain.iso"> plain.iso</a></li>
      <li><a href="q%3fx.txt"> q?x.txt</a></li>
      <li><a href="sub%20dir/"> sub dir/</a></li>
      <li><a href="./x:y.txt"> x:y.txt</a></li>
      <li><a href="%c3%bcn%c3%af.txt"> ünï.txt</a></li>
      </ul>
      </body></html>
      """)
    #expect(Set(files(page)) == Self.names)
    #expect(directories(page) == [Self.url + "sub%20dir/"])
    #expect(addresses(page).contains(Self.url + "a&b.txt"))
    #expect(addresses(page).contains(Self.url + "%c3%bcn%c3%af.txt"))
  }

  @Test func `a fancy page of Apache is read without icons, columns and rounded sizes`() throws {
    let page = try read(
      """
      <html>
       <head>
        <title>Index of /pub</title>
       </head>
       <body>
      <h1>Index of /pub</h1>
      <pre>      <a href="?C=N;O=D">Name</a>         <a href="?C=M;O=A">Last modified</a>      <a href="?C=S;O=A">Size</a>  <a href="?C=D;O=A">Description</a><hr><a href="/"><img src="/icons/folder.gif" alt="[PARENTDIR]"></a> <a href="/">Parent Directory</a>                      -   
      <a href="a&amp;b.txt"><img src="/icons/unknown.gif" alt="[   ]"></a> <a href="a&amp;b.txt">a&amp;b.txt</a>          2025-06-01 12:00    7   
      <a href="plain.iso"><img src="/icons/unknown.gif" alt="[   ]"></a> <a href="plain.iso">plain.iso</a>        2025-06-01 12:00   12K  
      <a href="sub%20dir/"><img src="/icons/folder.gif" alt="[DIR]"></a> <a href="sub%20dir/">sub dir/</a>         2025-06-01 12:00    -   
      <a href="./x:y.txt"><img src="/icons/unknown.gif" alt="[   ]"></a> <a href="./x:y.txt">x:y.txt</a>          2025-06-01 12:00    3   
      <a href="%c3%bcn%c3%af.txt"><img src="/icons/unknown.gif" alt="[   ]"></a> <a href="%c3%bcn%c3%af.txt">ünï.txt</a>        2025-06-01 12:00  2.0K  
      <hr></pre>
      </body></html>
      """)
    #expect(files(page) == ["a&b.txt", "plain.iso", "x_y.txt", "ünï.txt"])
    #expect(page.members.allSatisfy { $0.byteCount == nil })
    #expect(directories(page) == [Self.url + "sub%20dir/"])
    #expect(page.refusedCount == 0)
  }

  @Test func `a table of Apache is read`() throws {
    let page = try read(
      """
      <h1>Index of /pub</h1>
        <table>
         <tr><th valign="top">&nbsp;</th><th><a href="?C=N;O=D">Name</a></th><th><a href="?C=M;O=A">Last modified</a></th><th><a href="?C=S;O=A">Size</a></th><th><a href="?C=D;O=A">Description</a></th></tr>
         <tr><th colspan="5"><hr></th></tr>
      <tr><td valign="top">&nbsp;</td><td><a href="/">Parent Directory</a>       </td><td>&nbsp;</td><td align="right">  - </td><td>&nbsp;</td></tr>
      <tr><td valign="top">&nbsp;</td><td><a href="%22q%22%20's'.txt">&quot;q&quot; 's'.txt</a>            </td><td align="right">2025-06-01 12:00  </td><td align="right"> 13 </td><td>&nbsp;</td></tr>
      <tr><td valign="top">&nbsp;</td><td><a href="plain.iso">plain.iso</a>              </td><td align="right">2025-06-01 12:00  </td><td align="right"> 12K</td><td>&nbsp;</td></tr>
      <tr><td valign="top">&nbsp;</td><td><a href="sub%20dir/">sub dir/</a>               </td><td align="right">2025-06-01 12:00  </td><td align="right">  - </td><td>&nbsp;</td></tr>
         <tr><th colspan="5"><hr></th></tr>
      </table>
      """)
    #expect(files(page) == ["_q_ 's'.txt", "plain.iso"])
    #expect(page.members.allSatisfy { $0.byteCount == nil })
    #expect(directories(page) == [Self.url + "sub%20dir/"])
  }

  @Test func `a page of Python is read`() throws {
    let page = try read(
      """
      <!DOCTYPE HTML>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <title>Directory listing for /pub/</title>
      </head>
      <body>
      <h1>Directory listing for /pub/</h1>
      <hr>
      <ul>
      <li><a href="%22q%22%20%27s%27.txt">"q" 's'.txt</a></li>
      <li><a href="100%25.txt">100%.txt</a></li>
      <li><a href="a%20b.txt">a b.txt</a></li>
      <li><a href="a%23b.txt">a#b.txt</a></li>
      <li><a href="a%26b.txt">a&amp;b.txt</a></li>
      <li><a href="a%3Bb%2Bc.txt">a;b+c.txt</a></li>
      <li><a href="plain.iso">plain.iso</a></li>
      <li><a href="q%3Fx.txt">q?x.txt</a></li>
      <li><a href="sub%20dir/">sub dir/</a></li>
      <li><a href="x%3Ay.txt">x:y.txt</a></li>
      <li><a href="%C3%BCn%C3%AF.txt">ünï.txt</a></li>
      </ul>
      <hr>
      </body>
      </html>
      """)
    #expect(Set(files(page)) == Self.names)
    #expect(directories(page) == [Self.url + "sub%20dir/"])
  }

  @Test func `a page of Caddy is read`() throws {
    let page = try read(
      """
      <!DOCTYPE html>
      <html>
      <head><title>pub</title><style>body { color: "<a href='./style'>"; }</style></head>
      <body onload="initPage()">
      <h1><a href="../">/</a><a href="">pub</a>/</h1>
      <a href="javascript:queryParam('layout', 'grid')" id="layout-grid" class='layout'>Grid</a>
      <table aria-describedby="summary">
      <thead><tr><th><a href="?sort=name&order=desc" class="icon">Name</a></th></tr></thead>
      <tbody>
      <tr><td></td><td><a href=".."><span class="go-up">Up</span></a></td></tr>
      <tr class="file"><td></td><td><a href="./sub%20dir/">
      <svg class="icon"><path d="M9 3a1 1 0 0 1 .608 .206"/></svg><span class="name">sub dir/</span>
      </a></td><td>&mdash;</td></tr>
      <tr class="file"><td></td><td><a href="./a&amp;b%23.txt"><span class="name">a&amp;b#.txt</span></a></td>
      <td class="size" data-size="7"><div class="sizebar-text">7 B</div></td></tr>
      <tr class="file"><td></td><td><a href="./x:y&#39;.txt"><span class="name">x:y&#39;.txt</span></a></td></tr>
      </tbody></table>
      <footer><a rel="noopener" href="https://caddyserver.com" class="caddy-logo"></a></footer>
      <script>const link = '<a href="./script">';</script>
      </body></html>
      """)
    #expect(files(page) == ["a&b#.txt", "x_y'.txt"])
    #expect(addresses(page) == [Self.url + "a&b%23.txt", Self.url + "x:y'.txt"])
    #expect(directories(page) == [Self.url + "sub%20dir/"])
  }

  @Test func `a page of lighttpd is read`() throws {
    let page = try read(
      """
      <!DOCTYPE html>
      <html><head><title>Index of /pub/</title></head><body>
      <h2>Index of /pub/</h2><div class="list"><table summary="Directory Listing">
      <tr class="d"><td class="n"><a href="../">..</a>/</td><td class="m">&nbsp;</td><td class="s">- &nbsp;</td></tr>
      <tr class="d"><td class="n"><a href="sub%20dir/">sub dir</a>/</td><td class="m">2025-Jun-01 12:00:00</td></tr>
      <tr><td class="n"><a href="a%26b%23.txt">a&amp;b#.txt</a></td><td class="m">2025-Jun-01 12:00:00</td>
      <td class="s">0.1K</td><td class="t">text/plain</td></tr>
      </table></div><div class="foot">lighttpd</div>
      <script type="text/javascript">
      // <!--
      document.write("<a href='script'>");
      // -->
      </script>
      </body></html>
      """)
    #expect(files(page) == ["a&b#.txt"])
    #expect(directories(page) == [Self.url + "sub%20dir/"])
  }
}
