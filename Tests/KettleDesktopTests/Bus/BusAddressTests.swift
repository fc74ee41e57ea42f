import Testing

@testable import KettleDesktop

struct BusAddressTests {
  @Test(
    arguments: [
      ("unix:path=/run/bus", [.path(Array("/run/bus".utf8))]),
      ("unix:path=/a%20b%2c%3B,guid=00ff", [.path(Array("/a b,;".utf8))]),
      ("unix:guid=1,path=/a", [.path(Array("/a".utf8))]),
      ("unix:abstract=/tmp/x%00y", [.abstract(Array("/tmp/x\0y".utf8))]),
      (
        "tcp:host=h,port=1;unix:path=/a;unix:abstract=b",
        [.path(Array("/a".utf8)), .abstract(Array("b".utf8))]
      ),
      ("", []), ("unix:", []), ("unix:path", []), ("unix:path=", []), ("unix:path=/a%2", []),
      ("unix:path=/a%zz", []), ("unix:path=/a%00b", []), ("unix:tmpdir=/tmp", []), ("path=/a", []),
      ("unixexec:path=/bin/sh", []), (";;,=;:", []),
      ("unix:path=/a=b", [.path(Array("/a=b".utf8))]),
    ] as [(String, [BusAddress])])
  func `addresses are parsed, and other kinds are skipped`(text: String, addresses: [BusAddress]) {
    #expect(BusAddress.parse(text) == addresses)
  }

  @Test func `the environment determines the bus addresses`() {
    #expect(
      BusAddress.system(environment: [:]) == [.path(Array("/run/dbus/system_bus_socket".utf8))])
    #expect(
      BusAddress.system(environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/s"])
        == [.path(Array("/s".utf8))])
    #expect(BusAddress.session(environment: [:]) == [])
    #expect(
      BusAddress.session(environment: ["XDG_RUNTIME_DIR": "/run/user/1000"])
        == [.path(Array("/run/user/1000/bus".utf8))])
    #expect(
      BusAddress.session(
        environment: ["XDG_RUNTIME_DIR": "/r", "DBUS_SESSION_BUS_ADDRESS": "unix:abstract=b"])
        == [.abstract(Array("b".utf8))])
  }
}

struct BusHandshakeTests {
  @Test func `the greeting has the user id in hexadecimal ASCII`() {
    #expect(
      BusHandshake.greeting(userID: 1000) == [0] + Array("AUTH EXTERNAL 31303030\r\n".utf8))
  }

  @Test func `a line may arrive in pieces`() {
    var handshake = BusHandshake()
    #expect(handshake.receive(Array("O".utf8)) == .wait)
    #expect(handshake.receive(Array("K 12".utf8)) == .wait)
    #expect(
      handshake.receive(Array("ab\r\nl".utf8))
        == .begin(send: Array("BEGIN\r\n".utf8), rest: Array("l".utf8)))
  }

  @Test(arguments: ["REJECTED EXTERNAL\r\n", "ERROR\r\n", "\r\n", "OKAY 1\r\n", "\u{7F}ELF\n"])
  func `anything but OK is a refusal`(line: String) {
    var handshake = BusHandshake()
    #expect(handshake.receive(Array(line.utf8)) == .refused)
  }

  @Test func `an overlong line is refused`() {
    var handshake = BusHandshake()
    #expect(handshake.receive([UInt8](repeating: 79, count: 1024)) == .wait)
    #expect(handshake.receive([79]) == .refused)
  }
}
