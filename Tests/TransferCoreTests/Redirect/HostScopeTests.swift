import Testing
import TransferCore
import TransferModel

struct HostScopeTests {
  // Fault 54
  @Test(arguments: [
    "127.0.0.1", "127.255.0.9", "0.0.0.0", "localhost", "LOCALHOST", "a.localhost", "[::1]", "[::]",
    "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "127.1", "2130706433",
    "0x7f000001", "0177.0.0.1",
  ])
  func `this machine is known by every name`(_ host: String) {
    #expect(HostScope(of: host) == .machine)
  }

  // Fault 54
  @Test(arguments: [
    "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "[fe80::1]", "[fd00::1]", "[fc00:1::]", "[::ffff:10.0.0.1]", "nas", "printer.local", "a.lan",
    "metadata.google.internal", "box.home.arpa", "[fe80::1%25eth0]",
  ])
  func `the own network is known`(_ host: String) {
    #expect(HostScope(of: host) == .network)
  }

  @Test(arguments: [
    "example.org", "8.8.8.8", "172.32.0.1", "172.15.0.1", "192.169.0.1", "11.0.0.1", "100.128.0.1",
    "[2001:db8::1]", "[2606:4700::6810:85e5]", "127.0.0.1.example.org", "local.example",
    "1.example",
  ])
  func `the world is the rest`(_ host: String) {
    #expect(HostScope(of: host) == .world)
  }
}
