import KettleModel
import Testing

@testable import KettleCurl

struct ProxiedHostTests {
  // Fault 54
  @Test(arguments: [
    "127.0.0.1", "127.1", "127.0.1", "0x7f.1", "0x7f000001", "2130706433", "0177.0.0.1",
    "017700000001", "127.0.0.1.", "0", "0x", "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]",
    "localhost", "localhost.", "a.localhost", "localhost.localdomain", "x.ｌｏｃａｌｈｏｓｔ", "0ｘ7f.1",
    "１２７.0.0.1", "ℓocalhost",
  ])
  func `this machine is recognized`(host: String) {
    #expect(ProxiedHost(host).reach == .machine)
  }

  // Fault 54
  @Test(arguments: [
    "10.0.0.1", "012.0.0.1", "0xa.1", "172.16.0.1", "192.168.257", "169.254.169.254",
    "100.64.0.1", "224.0.0.1", "[fe80::1]", "[fd00::1]", "[1::zz]", "nas", "nas.", "printer.local",
    "a.lan", "metadata.google.internal", "box.home.arpa", "box.home.arpa.", "b.localdomain",
  ])
  func `local networks are recognized`(host: String) {
    #expect(ProxiedHost(host).reach == .network)
  }

  @Test(arguments: [
    "example.org", "8.8.8.8", "134744072", "172.32.0.1", "[2606:4700:0:0::1]", "münchen.example",
    "127.0.0.1.example", "localhost.example", "home.arpa.example", "0x7g.1", "256.1.1.1",
    "1.2.3.4.5", "4294967296.example",
  ])
  func `all other hosts are public`(host: String) { #expect(ProxiedHost(host).reach == .world) }

  @Test func `a server with a disguised name counts as public`() {
    #expect(ProxiedHost("x.ｌｏｃａｌｈｏｓｔ").serverReach == .world)
    #expect(ProxiedHost("localhost").serverReach == .machine)
  }
}
