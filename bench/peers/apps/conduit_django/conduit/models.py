"""People, articles, and what readers do with them."""

import secrets
import uuid

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Count, Exists, OuterRef, Value
from django.utils.text import slugify


class UserManager(BaseUserManager):
    def create_user(self, email, username, password):
        user = self.model(email=self.normalize_email(email).lower(), username=username)
        user.set_password(password)
        user.save()
        return user


class User(AbstractBaseUser):
    email = models.EmailField(max_length=254, unique=True)
    username = models.CharField(max_length=60, unique=True)
    bio = models.CharField(max_length=2000, null=True, blank=True)
    image = models.URLField(max_length=2048, null=True, blank=True)
    follows = models.ManyToManyField("self", symmetrical=False, related_name="followers")

    USERNAME_FIELD = "email"
    objects = UserManager()


class Stored(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    author = models.ForeignKey(User, on_delete=models.CASCADE)

    class Meta:
        abstract = True


class ArticleQuerySet(models.QuerySet):
    def as_seen_by(self, user):
        favored, followed = Value(False), Value(False)
        if user.is_authenticated:
            favored = Exists(Article.favorites.through.objects.filter(article=OuterRef("pk"), user=user))
            followed = Exists(User.follows.through.objects.filter(from_user=user, to_user=OuterRef("author")))
        counted = self.annotate(favorited=favored, followed=followed, favorites_count=Count("favorites"))
        return counted.select_related("author")


class Article(Stored):
    slug = models.CharField(max_length=240, unique=True, editable=False)
    title = models.CharField(max_length=200)
    description = models.CharField(max_length=1000)
    body = models.TextField(max_length=200_000)
    tags = ArrayField(models.CharField(max_length=60), size=20, default=list, blank=True)
    favorites = models.ManyToManyField(User, related_name="favorite_articles")

    objects = ArticleQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["-created_at", "-id"], name="article_newest"),
            models.Index(fields=["author", "-created_at", "-id"], name="article_newest_of"),
        ]

    def name(self):
        """Give the article an address that reads as its title does."""
        self.slug = f"{slugify(self.title)[:200] or 'article'}-{secrets.token_hex(4)}"


class Comment(Stored):
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="comments")
    body = models.TextField(max_length=20_000)

    class Meta:
        ordering = ["-created_at", "-id"]
