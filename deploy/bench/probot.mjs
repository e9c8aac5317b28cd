// What a Probot app does that queues: verify, push the delivery, answer.
import { Redis } from "ioredis";
import { run } from "probot";

const redis = new Redis(process.env.REDIS_SOCKET);

run((app) => {
  app.on("issues.labeled", async (context) => {
    await redis.lpush("queue", JSON.stringify({ event: context.name, id: context.id, payload: context.payload }));
  });
});
