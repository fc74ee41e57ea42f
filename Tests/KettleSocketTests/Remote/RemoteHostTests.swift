import KettleSocket
import Testing

struct RemoteHostTests {
  @Test(arguments: [
    "box", "me@box", "box.example.org", "10.0.0.1", "me@[fe80::1%eth0]", "ssh://me@box:2222",
    "a_b-c", "first.last@box",
  ])
  func `hosts that ssh accepts are accepted`(text: String) {
    #expect(RemoteHost(text)?.text == text)
  }

  @Test(arguments: [
    "", "-oProxyCommand=sh", "-l", "--", "me@-oProxyCommand=sh", "-me@box", "ssh://-x", "@", "me@",
    "@box", "a b", "box;id", "$(id)", "`id`", "box\nid", "box\u{0}", "b'x", "b\"x", "b|x", "b&x",
    "b>x", "b*", "b\\x", "bóx", "ssh://", String(repeating: "a", count: 256),
  ])
  func `options and shell syntax are not hosts`(text: String) {
    #expect(RemoteHost(text) == nil)
  }
}
