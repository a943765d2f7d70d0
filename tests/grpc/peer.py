"""The interoperability tests of gRPC with Python's grpcio, as client and as server.

usage: peer.py DESCRIPTORS serve CERTIFICATE KEY       prints its port, serves until its input ends
       peer.py DESCRIPTORS call CA NAME PORT CASE...   plays cases; one line for each

DESCRIPTORS is what protoc makes of interop.proto with --descriptor_set_out. Runs in the environment
of `tools/real-tools grpcio`.
"""

import concurrent.futures
import pathlib
import queue
import sys
import time

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

SERVICE = "grpc.testing.TestService"
ECHO_INITIAL, ECHO_TRAILING = "x-grpc-test-echo-initial", "x-grpc-test-echo-trailing-bin"
REQUEST_BYTES, RESPONSE_BYTES = (27182, 8, 1828, 45904), (31415, 9, 2653, 58979)
LIMIT_S = 60


class Messages:
    """The classes of interop.proto, by name, all made at once, before there are threads."""

    def __init__(self, descriptors):
        self.pool = descriptor_pool.DescriptorPool()
        for file in descriptor_pb2.FileDescriptorSet.FromString(descriptors).file:
            self.pool.Add(file)
            for message in file.message_type:
                found = self.pool.FindMessageTypeByName(f"{file.package}.{message.name}")
                setattr(self, message.name, message_factory.GetMessageClass(found))

    def methods(self):
        return self.pool.FindServiceByName(SERVICE).methods


def zeros(size):
    return {"body": bytes(size)}


# The server.


class Service:
    def __init__(self, messages):
        self.messages = messages

    def echo(self, context):
        sent = dict(context.invocation_metadata())
        if ECHO_INITIAL in sent:
            context.send_initial_metadata(((ECHO_INITIAL, sent[ECHO_INITIAL]),))
        if ECHO_TRAILING in sent:
            context.set_trailing_metadata(((ECHO_TRAILING, sent[ECHO_TRAILING]),))

    @staticmethod
    def end_as_asked(request, context):
        if request.HasField("response_status"):
            status = request.response_status
            code = next(code for code in grpc.StatusCode if code.value[0] == status.code)
            context.abort(code, status.message)

    def empty_call(self, _request, context):
        self.echo(context)
        return self.messages.Empty()

    def unary_call(self, request, context):
        self.echo(context)
        self.end_as_asked(request, context)
        return self.messages.SimpleResponse(payload=zeros(request.response_size))

    def responses(self, request, context):
        self.end_as_asked(request, context)
        for wanted in request.response_parameters:
            time.sleep(wanted.interval_us / 1e6)
            if not context.is_active():
                return
            yield self.messages.StreamingOutputCallResponse(payload=zeros(wanted.size))

    def streaming_output_call(self, request, context):
        self.echo(context)
        yield from self.responses(request, context)

    def streaming_input_call(self, requests, context):
        self.echo(context)
        total = sum(len(request.payload.body) for request in requests)
        return self.messages.StreamingInputCallResponse(aggregated_payload_size=total)

    def full_duplex_call(self, requests, context):
        self.echo(context)
        for request in requests:
            yield from self.responses(request, context)

    def half_duplex_call(self, requests, context):
        self.echo(context)
        for request in list(requests):
            yield from self.responses(request, context)

    def handlers(self):
        made = {}
        for method in self.messages.methods():
            name = "".join("_" + c.lower() if c.isupper() else c for c in method.name)[1:]
            kind = (f"{'stream' if method.client_streaming else 'unary'}_"
                    f"{'stream' if method.server_streaming else 'unary'}_rpc_method_handler")
            request = getattr(self.messages, method.input_type.name)
            made[method.name] = getattr(grpc, kind)(
                getattr(self, name), request_deserializer=request.FromString,
                response_serializer=lambda reply: reply.SerializeToString())
        return made


def serve(messages, certificate, key):
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(max_workers=100))
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(SERVICE, Service(messages).handlers()),))
    pair = (pathlib.Path(key).read_bytes(), pathlib.Path(certificate).read_bytes())
    port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([pair]))
    server.start()
    print(port, flush=True)
    sys.stdin.read()
    server.stop(0)


# The client.


class Client:
    def __init__(self, messages, channel):
        self.messages, self.channel = messages, channel

    def call(self, name, requests, path=None, **options):
        """A call of any method; the answer is that of grpcio."""
        method = next((m for m in self.messages.methods() if m.name == name), None)
        streams = (method.client_streaming, method.server_streaming) if method else (False, False)
        kind = f"{'stream' if streams[0] else 'unary'}_{'stream' if streams[1] else 'unary'}"
        reply = getattr(self.messages, method.output_type.name if method else "Empty")
        stub = getattr(self.channel, kind)(
            path or f"/{SERVICE}/{name}", response_deserializer=reply.FromString,
            request_serializer=lambda request: request.SerializeToString())
        begin = stub if kind == "unary_stream" or streams[0] and streams[1] else stub.future
        return begin(requests, timeout=options.pop("timeout", LIMIT_S), **options)

    def order(self, request_size, response_size, interval_us=0):
        return self.messages.StreamingOutputCallRequest(
            payload=zeros(request_size),
            response_parameters=[{"size": response_size, "interval_us": interval_us}])

    def empty_unary(self):
        same(self.call("EmptyCall", self.messages.Empty()).result().ByteSize(), 0)

    def large_unary(self):
        reply = self.call("UnaryCall", self.messages.SimpleRequest(
            response_size=314159, payload=zeros(271828))).result()
        same(len(reply.payload.body), 314159)

    def client_streaming(self):
        requests = [self.messages.StreamingInputCallRequest(payload=zeros(size))
                    for size in REQUEST_BYTES]
        reply = self.call("StreamingInputCall", iter(requests)).result()
        same(reply.aggregated_payload_size, sum(REQUEST_BYTES))

    def server_streaming(self):
        request = self.messages.StreamingOutputCallRequest(
            response_parameters=[{"size": size} for size in RESPONSE_BYTES])
        replies = self.call("StreamingOutputCall", request)
        same([len(reply.payload.body) for reply in replies], list(RESPONSE_BYTES))

    def ping_pong(self):
        with Pipe() as pipe:
            replies = self.call("FullDuplexCall", pipe)
            for request, response in zip(REQUEST_BYTES, RESPONSE_BYTES):
                pipe.send(self.order(request, response))
                same(len(next(replies).payload.body), response)
            pipe.close()
            same(list(replies), [])

    def empty_stream(self):
        same(list(self.call("FullDuplexCall", iter(()))), [])

    def half_duplex(self):
        orders = [self.order(*sizes) for sizes in zip(REQUEST_BYTES, RESPONSE_BYTES)]
        replies = self.call("HalfDuplexCall", iter(orders))
        same([len(reply.payload.body) for reply in replies], list(RESPONSE_BYTES))

    def timeout_on_sleeping_server(self):
        with Pipe() as pipe:
            replies = self.call("FullDuplexCall", pipe, timeout=0.001)
            pipe.send(self.order(27182, 31415, interval_us=10_000_000))
            same(code_of(lambda: list(replies)), grpc.StatusCode.DEADLINE_EXCEEDED)

    def cancel_after_begin(self):
        with Pipe() as pipe:
            begun = self.call("StreamingInputCall", pipe)
            begun.cancel()
            same(begun.code(), grpc.StatusCode.CANCELLED)
        self.empty_unary()

    def cancel_after_first_response(self):
        with Pipe() as pipe:
            replies = self.call("FullDuplexCall", pipe)
            pipe.send(self.order(27182, 31415))
            same(len(next(replies).payload.body), 31415)
            replies.cancel()
            same(code_of(lambda: list(replies)), grpc.StatusCode.CANCELLED)
        self.empty_unary()

    def end_with(self, text):
        status = {"code": 2, "message": text}
        begun = self.call("UnaryCall", self.messages.SimpleRequest(response_status=status))
        same((begun.code(), begun.details()), (grpc.StatusCode.UNKNOWN, text))
        replies = self.call("FullDuplexCall", iter([
            self.messages.StreamingOutputCallRequest(response_status=status)]))
        same(code_of(lambda: list(replies)), grpc.StatusCode.UNKNOWN)
        same(replies.details(), text)

    def status_code_and_message(self):
        self.end_with("test status message")

    def special_status_message(self):
        self.end_with("\t\ntest with whitespace\r\nand Unicode BMP \u263a and non-BMP \U0001F608"
                      "\t\n")

    def custom_metadata(self):
        sent = ((ECHO_INITIAL, "test_initial_metadata_value"), (ECHO_TRAILING, b"\xab\xab\xab"))
        unary = self.call("UnaryCall", self.messages.SimpleRequest(response_size=1), metadata=sent)
        unary.result()
        stream = self.call("FullDuplexCall", iter([self.order(1, 1)]), metadata=sent)
        same(len(list(stream)), 1)
        for call in (unary, stream):
            same(dict(call.initial_metadata()).get(ECHO_INITIAL), sent[0][1])
            same(dict(call.trailing_metadata()).get(ECHO_TRAILING), sent[1][1])

    def unimplemented_method(self):
        begun = self.call("UnimplementedCall", self.messages.Empty())
        same(begun.code(), grpc.StatusCode.UNIMPLEMENTED)

    def unimplemented_service(self):
        begun = self.call("UnimplementedCall", self.messages.Empty(),
                          path="/grpc.testing.UnimplementedService/UnimplementedCall")
        same(begun.code(), grpc.StatusCode.UNIMPLEMENTED)

    def many_at_once(self):
        request = self.messages.SimpleRequest(response_size=50000, payload=zeros(20000))
        calls = [self.call("UnaryCall", request) for _ in range(64)]
        same([len(call.result().payload.body) for call in calls], [50000] * 64)

    def long_stream(self):
        request = self.messages.StreamingOutputCallRequest(
            response_parameters=[{"size": 10000}] * 1000)
        replies = self.call("StreamingOutputCall", request)
        same([len(reply.payload.body) for reply in replies], [10000] * 1000)

    def client_compressed_unary(self):
        """Our server takes no compressed messages and has to say so."""
        begun = self.call("UnaryCall", self.messages.SimpleRequest(payload=zeros(271828)),
                          compression=grpc.Compression.Gzip)
        same(begun.code(), grpc.StatusCode.OK)


class Pipe:
    """Requests that are sent one by one."""

    def __init__(self):
        self.queue = queue.SimpleQueue()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __iter__(self):
        return self

    def __next__(self):
        request = self.queue.get()
        if request is None:
            raise StopIteration
        return request

    def send(self, request):
        self.queue.put(request)

    def close(self):
        self.queue.put(None)


def same(found, wanted):
    if found != wanted:
        raise ValueError(f"{found!r} and not {wanted!r}"[:300])


def code_of(attempt):
    try:
        attempt()
    except grpc.RpcError as error:
        return error.code()
    return grpc.StatusCode.OK


def play(messages, ca, name, port, cases):
    failed = 0
    credentials = grpc.ssl_channel_credentials(pathlib.Path(ca).read_bytes())
    options = (("grpc.ssl_target_name_override", name),
               ("grpc.max_receive_message_length", 64 << 20))
    with grpc.secure_channel(f"127.0.0.1:{port}", credentials, options) as channel:
        client = Client(messages, channel)
        for case in cases:
            try:
                getattr(client, case)()
                print(f"{case} passed", flush=True)
            except Exception as error:  # noqa: BLE001: whatever it is, the case failed
                failed = 1
                print(f"{case} failed: {' '.join(str(error).split())[:300]}", flush=True)
    return failed


def main():
    messages = Messages(pathlib.Path(sys.argv[1]).read_bytes())
    if sys.argv[2] == "serve":
        serve(messages, *sys.argv[3:5])
        return 0
    return play(messages, *sys.argv[3:6], sys.argv[6:])


if __name__ == "__main__":
    sys.exit(main())
